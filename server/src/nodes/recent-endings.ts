// How many sessions ended within the last minute, in steps of ten seconds.

const STEP_MS = 10_000
const STEPS = 6

export class RecentEndings {
  readonly #monotonicMs: () => number
  readonly #counts = new Map<number, number>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  note(): void {
    const step = this.#step()
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + 1)
  }

  get lastMinute(): number {
    let sum = 0
    for (const [step, count] of this.#counts) {
      if (step <= this.#step() - STEPS) this.#counts.delete(step)
      else sum += count
    }
    return sum
  }

  #step(): number {
    return Math.floor(this.#monotonicMs() / STEP_MS)
  }
}
