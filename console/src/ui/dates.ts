// A range of calendar days of the reader's own clock, the last one included.

export interface Dates {
  readonly from: string
  readonly to: string
}

/** What one report may cover; the server refuses more. */
const MAX_DAYS = 366
const DAY_MS = 86_400_000

export function lastDays(days: number, now = new Date()): Dates {
  const first = new Date(now)
  first.setDate(first.getDate() - days + 1)
  return { from: localDate(first), to: localDate(now) }
}

/** Why the range cannot be shown; undefined where it can. */
export function problemOf({ from, to }: Dates): string | undefined {
  if (from === '' || to === '') return 'Choose both dates.'
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1) return 'The last day is before the first.'
  return days > MAX_DAYS ? `Choose at most ${MAX_DAYS} days.` : undefined
}

function localDate(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
