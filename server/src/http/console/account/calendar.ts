// Days of a time zone as moments. The zone is the reader's, so that "Monday" on the page is their Monday.

const DAY_MS = 24 * 3600 * 1000

export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

/** 2026-01-31 and every day up to the last one, both included. Empty when the order is wrong. */
export function listDates(from: string, to: string): string[] {
  const [first, last] = [Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`)]
  const count = Math.max(0, Math.round((last - first) / DAY_MS) + 1)
  return Array.from({ length: Number.isNaN(count) ? 0 : count }, (_, day) =>
    new Date(first + day * DAY_MS).toISOString().slice(0, 10),
  )
}

export function dateIn(zone: string, moment: Date): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(moment)
  return parts.slice(0, 10)
}

/** The moment at which a date begins in a zone. Where the clock skips midnight, the first moment after it. */
export function midnightIn(zone: string, date: string): Date {
  const utcMs = Date.parse(`${date}T00:00:00Z`)
  const guessMs = utcMs - offsetMs(zone, utcMs)
  return new Date(utcMs - offsetMs(zone, guessMs))
}

/** How far the zone's clock is ahead of UTC at a moment. */
function offsetMs(zone: string, momentMs: number): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const parts = Object.fromEntries(
    format.formatToParts(momentMs).map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(momentMs / 1000) * 1000
}
