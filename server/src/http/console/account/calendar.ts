// Days of a time zone as moments. The zone is the reader's, so that "Monday" on the page is their Monday.

const DAY_MS = 24 * 3600 * 1000

/**
 * 2026-01-31 and every day up to the last one, both included. Empty when the order is wrong and when there would be more than `most`: a
 * range that a client names can have millions of days.
 */
export function listDates(from: string, to: string, most: number): string[] {
  const [first, last] = [Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`)]
  const count = Math.round((last - first) / DAY_MS) + 1
  if (!(count >= 1 && count <= most)) return []
  return Array.from({ length: count }, (_, day) => new Date(first + day * DAY_MS).toISOString().slice(0, 10))
}

/** The clock on the wall of a time zone. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat

  /** Throws a RangeError where there is no such zone. Costs more than all that is asked of it later. */
  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** The moment at which a date begins. Where the clock skips midnight, the first moment after it. */
  midnight(date: string): Date {
    const utcMs = Date.parse(`${date}T00:00:00Z`)
    const guessMs = utcMs - this.#aheadMs(utcMs)
    return new Date(utcMs - this.#aheadMs(guessMs))
  }

  /** How far it is ahead of UTC at a moment. */
  #aheadMs(momentMs: number): number {
    const parts = Object.fromEntries(
      this.#format.formatToParts(momentMs).map(({ type, value }) => [type, Number(value)]),
    )
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(momentMs / 1000) * 1000
  }
}

export function openZone(zone: string): ZoneClock | undefined {
  try {
    return new ZoneClock(zone)
  } catch {
    return undefined
  }
}
