// One step of an engine: one item, or several chunks that are heard together. What it took, and who is charged for it.

import type { WorkDone } from './admission.ts'

/** Charged for every item, also for one that changes nothing: reading and answering it costs about this much. */
export const MESSAGE_MS = 0.1

/** Live speech may be this early: what comes late on its way moves what follows, which then comes before its time. Files and floods are further ahead. */
const EARLY_MS = 250

export interface Clocks {
  readonly now: () => number
  /** What work costs, whatever else the machine does at the time. */
  readonly work: () => number
}

/** A stream whose oldest item is done. */
export interface ServedStream {
  /** When its oldest item is due, and how long its answer may take from then on. */
  readonly promise: { readonly dueMs: number; readonly patienceMs: number }
  /** What its oldest item alone took when the engine started; undefined where nothing is to be heard. */
  readonly expectedMs: number | undefined
  /** Counts what its last item cost. */
  charge(nowMs: number, costMs: number, equalPart: number): void
}

/** Over how long, of the engine's steps, it is averaged how much of the core it gets. */
const AVERAGE_MS = 1000

export class StepMeter {
  readonly #clocks: Clocks
  /** Part of the core that the engine has had lately, while it worked. */
  #given = 1

  constructor(clocks: Clocks) {
    this.#clocks = clocks
  }

  /**
   * Calls `work`, which does the oldest item of each stream. A stream pays for the work and not for the time: while other programs had the
   * core, the step took longer, but its stream used no more. If it paid for that, a moment without the CPU would put it behind all the others,
   * and its next answer would be late. What other programs take makes everybody's equal part smaller instead.
   */
  measure(streams: readonly ServedStream[], openStreams: number, work: () => void): WorkDone[] {
    const together = streams.length
    const promises = streams.map(stream => stream.promise)
    const expected = streams.map(stream => MESSAGE_MS + (stream.expectedMs ?? 0))
    const { beganMs, endedMs, costMs } = this.#time(work)
    const workMs = (endedMs - beganMs) / together + MESSAGE_MS
    const cpuMs = costMs / together + MESSAGE_MS
    for (const stream of streams) stream.charge(endedMs, cpuMs, this.#given / openStreams)
    return promises.map(({ dueMs, patienceMs }, i) => ({
      workMs,
      cpuMs,
      expectedMs: expected[i]!,
      isDue: dueMs <= beganMs + EARLY_MS,
      lateness: (endedMs - dueMs) / patienceMs,
    }))
  }

  #time(work: () => void) {
    const beganMs = this.#clocks.now()
    const costBefore = this.#clocks.work()
    work()
    const endedMs = this.#clocks.now()
    const costMs = this.#clocks.work() - costBefore
    this.#learnGiven(endedMs - beganMs, costMs)
    return { beganMs, endedMs, costMs }
  }

  #learnGiven(tookMs: number, costMs: number): void {
    if (tookMs <= 0) return
    const seen = Math.min(1, costMs / tookMs)
    this.#given += Math.min(1, tookMs / AVERAGE_MS) * (seen - this.#given)
  }
}
