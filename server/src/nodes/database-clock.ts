// The database's time, as exactly as this node can know it without asking: sessions are reserved, opened and expired by it on every
// node, however wrong the clock of a machine is.

export class DatabaseClock {
  readonly #monotonicMs: () => number
  /** What the monotonic clock must be advanced by. */
  #offsetMs: number

  /** Until the database first answers, the machine's own clock is used. */
  constructor(monotonicMs: () => number, machineTime: Date) {
    this.#monotonicMs = monotonicMs
    this.#offsetMs = machineTime.getTime() - monotonicMs()
  }

  now(): Date {
    return new Date(Math.round(this.#monotonicMs() + this.#offsetMs))
  }

  /** The database read its clock at some moment between question and answer: half of that time is the error. */
  learn(databaseTime: Date, askedAtMs: number): void {
    const readAtMs = (askedAtMs + this.#monotonicMs()) / 2
    this.#offsetMs = databaseTime.getTime() - readAtMs
  }
}
