// How many streams an engine admits, steered by what the machine really gives it. What a chunk costs was measured when the engine started;
// another tenant of the machine, a lower clock frequency or longer utterances change that. So the part of the time that the engine is busy
// and how late its answers are decide as well: down at once, up again slowly.

const WINDOW_MS = 1000
/** Weight of the newest window; those before fade. */
const NEWEST = 0.3
/** Below it, how busy the engine is says little about how many more streams it could take. */
const TELLING_LOAD = 0.3
/** Part of their patience after which one answer in twenty may come; beyond it streams are waiting for each other. */
const LATE = 0.6
const RANK = 0.95
/** When answers are late, fewer streams are admitted than there are. */
const RETREAT = 0.9
/** By how much the limit may grow in a window. */
const GROWTH = 1.05

/** Work that the engine has done. */
export interface WorkDone {
  readonly workMs: number
  /** False for what a file or a flood sends ahead of time: the engine does that when it has nothing else to do. */
  readonly isDue: boolean
  /** How late its answer was, as a part of the patience that it is owed; above 1 the promise was not kept. */
  readonly lateness: number
}

export class Admission {
  readonly #maxLoad: number
  #windowStartMs: number
  #busyMs = 0
  #lateness: number[] = []
  #load: number | undefined
  #limit = Number.POSITIVE_INFINITY

  /** `maxLoad`: part of the engine's time that streams may use. */
  constructor(maxLoad: number, nowMs: number) {
    this.#maxLoad = maxLoad
    this.#windowStartMs = nowMs
  }

  /** Streams that it admits in all, open ones included, where the measured costs allow `nominal`. */
  limit(nominal: number): number {
    return Math.min(nominal, Math.max(1, Math.floor(this.#limit)))
  }

  /** Returns whether the limit may have changed. */
  record(nowMs: number, done: WorkDone, openStreams: number, nominal: number): boolean {
    if (done.isDue) {
      this.#busyMs += done.workMs
      this.#lateness.push(done.lateness)
    }
    return this.advance(nowMs, openStreams, nominal)
  }

  /** To be called also when nothing is done, so that an idle engine recovers. */
  advance(nowMs: number, openStreams: number, nominal: number): boolean {
    const elapsedMs = nowMs - this.#windowStartMs
    if (elapsedMs < WINDOW_MS) return false
    const busy = this.#busyMs / elapsedMs
    this.#load = this.#load === undefined ? busy : this.#load + NEWEST * (busy - this.#load)
    this.#steer(openStreams, nominal, ranked(this.#lateness))
    this.#windowStartMs = nowMs
    this.#busyMs = 0
    this.#lateness = []
    return true
  }

  #steer(openStreams: number, nominal: number, lateness: number): void {
    const load = this.#load!
    const fitting = load < TELLING_LOAD ? nominal : (openStreams * this.#maxLoad) / load
    const target = lateness > LATE ? Math.min(fitting, openStreams * RETREAT) : fitting
    const grown = Math.min(this.#limit, nominal) * GROWTH + 1
    this.#limit = Math.min(target, Math.max(grown, 1))
  }
}

function ranked(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * RANK)] ?? 0
}
