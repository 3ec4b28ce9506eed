// How many streams an engine accepts, by how fast the machine really is. What a step costs was measured when the engine started, so every
// stream that is let in is counted at once, before it has said a word. How long steps take since then, on the clock and not in CPU time,
// corrects that: other programs, a lower clock frequency and speech that needs more work all make the same step longer, even while the engine
// has little to do. Where the service shares the core, what it uses itself makes steps longer too, above all while many sessions are created
// at once. That passes, so it does not count as another program. What chunks save that share a run counts as far as it is measured. In the end,
// how late answers are decides. The limit falls at once and rises slowly. One long step is an accident (the collector, cold code, a machine that
// was halted for a moment) and says nothing about the next ones: it counts only when others are long, too, and late answers only when those half
// a second later are late as well.

import { LEAST_INTENSITY, MOST_INTENSITY } from './capacity.ts'

const WINDOW_MS = 500
/** Work that makes a window fully count, in milliseconds as expected; a single step says little. */
const TELLING_MS = 100
/** Weight of a window that fully counts. */
const USUAL_WEIGHT = 0.06
/** Where steps take so many times longer than they did, the machine has changed, and the window counts more; below that it is chance. */
const CHANGE = 1.15
const CHANGE_WEIGHT = 0.5
/** What a window may say at most: a machine that was halted for a moment is not a thousand times slower. */
const SLOWDOWN = { least: 0.2, most: 10 } as const
/** How long an engine without work takes to come back to what was measured at the start. */
const FORGETTING_MS = 30_000
/** Over how long it is averaged how much streams use. In half a second some have no chunk, and others two. */
const AVERAGE_MS = 10_000
/** One answer in twenty may take longer than this part of the time that clients accept; beyond it streams are waiting for each other. */
const LATE = 0.6
const RANK = 0.95
/** When answers are late, less is taken on than there is. */
const RETREAT = 0.9
/** By how much the ceiling may grow per second. */
const GROWTH = 0.05
/** Part of the time that streams may always use. Below it they hardly wait for each other, and a late answer has another cause. */
const LOWEST_CEILING = 0.3

/** What open streams need, in parts of a core, by what was measured when the engine started. */
export interface Demand {
  readonly all: number
  /** Those that had an answer. */
  readonly heard: number
}

/** Work that the engine has done. */
export interface WorkDone {
  /** On the clock. */
  readonly workMs: number
  /** Of the engine's CPU; as much as on the clock where something else than the CPU does the work. */
  readonly cpuMs: number
  /** What it would have taken when the engine started. */
  readonly expectedMs: number
  /** False for what a file or a flood sends ahead of time: the engine does that when it has nothing else to do. */
  readonly isDue: boolean
  /** How late its answer was, as a part of the time that its client accepts; above 1 the promise was not kept. */
  readonly lateness: number
}

export interface AdmissionLimits {
  /** Part of the engine's time that streams may use. */
  readonly maxLoad: number
  /** How much of the core the streams cost in all, as a multiple of what they cost the engine. Above 1 where the service shares the core. */
  readonly overhead: number
  /** CPU time that the service has used so far on the engine's core. */
  readonly serviceCpuMs: () => number
}

export class Admission {
  readonly #limits: AdmissionLimits
  /** How much longer steps take than they did at the start. */
  #slowdown = 1
  /** How much more of them streams need than was expected. */
  #intensity = 1
  #ceiling: number
  #heard = 0
  #wasLate = false
  #window: Window

  constructor(limits: AdmissionLimits, nowMs: number) {
    this.#limits = limits
    this.#ceiling = limits.maxLoad
    this.#window = this.#newWindow(nowMs, 0)
  }

  /** How much more it can take on. Negative where it has taken on too much. `demand`: of all open streams, heard or not. */
  room(demand: number): number {
    return this.#ceiling / this.#loadPerDemand - demand
  }

  /** Work of the last seconds that was due, in parts of a core, by what was measured when the engine started. */
  get heard(): number {
    return this.#heard
  }

  /** Whether answers were late last. */
  get isLate(): boolean {
    return this.#wasLate
  }

  get #loadPerDemand(): number {
    return this.#limits.overhead * this.#slowdown * this.#intensity
  }

  /** Returns whether the room may have changed. */
  record(nowMs: number, { workMs, cpuMs, expectedMs, isDue, lateness }: WorkDone, demand: Demand): boolean {
    if (isDue) {
      this.#window.steps.push({ workMs, cpuMs, expectedMs })
      this.#window.lateness.push(lateness)
    }
    return this.advance(nowMs, demand)
  }

  /** To be called also when nothing is done, so that an idle engine recovers. */
  advance(nowMs: number, demand: Demand): boolean {
    const elapsedMs = nowMs - this.#window.startMs
    if (elapsedMs < WINDOW_MS) return false
    this.#learnSlowdown(this.#window, elapsedMs)
    this.#learnIntensity(this.#window, elapsedMs, demand.heard)
    this.#steer(ranked(this.#window.lateness), elapsedMs, demand.all)
    this.#window = this.#newWindow(nowMs, demand.heard)
    return true
  }

  #learnSlowdown({ steps, serviceCpuMs }: Window, elapsedMs: number): void {
    const { workMs, cpuMs, expectedMs } = total(withoutAccident(steps))
    if (expectedMs === 0) {
      this.#slowdown += Math.min(1, elapsedMs / FORGETTING_MS) * (1 - this.#slowdown)
      return
    }
    const strangersMs = Math.max(0, workMs - cpuMs - (this.#limits.serviceCpuMs() - serviceCpuMs))
    const seen = Math.min(SLOWDOWN.most, Math.max(SLOWDOWN.least, (cpuMs + strangersMs) / expectedMs))
    const evidence = Math.min(1, expectedMs / TELLING_MS)
    const weight = seen > this.#slowdown * CHANGE ? CHANGE_WEIGHT : USUAL_WEIGHT
    this.#slowdown += evidence * weight * (seen - this.#slowdown)
  }

  /** Streams that are silent at the moment may need what was expected of them at any other. Those that were never heard are taken to be like the others. */
  #learnIntensity({ steps, demand: before }: Window, elapsedMs: number, demand: number): void {
    const heard = total(steps).expectedMs / elapsedMs
    const weight = Math.min(1, elapsedMs / AVERAGE_MS)
    this.#heard += weight * (heard - this.#heard)
    const served = Math.max(before, demand)
    const seen = served === 0 ? 1 : Math.min(MOST_INTENSITY, heard / served)
    // The average is limited, not what was seen: of a few streams most windows see nothing, and others twice what is usual.
    this.#intensity = Math.max(LEAST_INTENSITY, this.#intensity + weight * (seen - this.#intensity))
  }

  #steer(lateness: number, elapsedMs: number, demand: number): void {
    const load = demand * this.#loadPerDemand
    const grown = this.#ceiling * (1 + (GROWTH * elapsedMs) / 1000)
    const isLate = lateness > LATE
    const retreat = this.#wasLate ? load * RETREAT : this.#ceiling
    const target = isLate ? Math.min(this.#ceiling, retreat) : grown
    this.#wasLate = isLate
    this.#ceiling = Math.min(this.#limits.maxLoad, Math.max(LOWEST_CEILING, target))
  }

  #newWindow(startMs: number, demand: number): Window {
    const serviceCpuMs = this.#limits.serviceCpuMs()
    return { startMs, demand, serviceCpuMs, steps: [], lateness: [] }
  }
}

type Step = Pick<WorkDone, 'workMs' | 'cpuMs' | 'expectedMs'>

interface Window {
  readonly startMs: number
  /** At its start, of the streams that had an answer. */
  readonly demand: number
  readonly serviceCpuMs: number
  readonly steps: Step[]
  readonly lateness: number[]
}

function total(steps: readonly Step[]): Step {
  const sum = { workMs: 0, cpuMs: 0, expectedMs: 0 }
  for (const step of steps) {
    sum.workMs += step.workMs
    sum.cpuMs += step.cpuMs
    sum.expectedMs += step.expectedMs
  }
  return sum
}

/** Without the step that took the most longer than expected, where there are others. Chunks that shared a run all took the same part of it. */
function withoutAccident(steps: readonly Step[]): readonly Step[] {
  const excess = steps.map(({ workMs, expectedMs }) => workMs - expectedMs)
  const worst = steps[excess.indexOf(Math.max(...excess))]
  const others = steps.filter(({ workMs }) => workMs !== worst?.workMs)
  return others.length > 0 ? others : steps
}

function ranked(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * RANK)] ?? 0
}
