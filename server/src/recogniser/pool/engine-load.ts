// What the streams of one engine need, and how much more it takes on: in the end, and right now.

import { Admission, type AdmissionLimits, type Demand, type WorkDone } from './admission.ts'
import { SlowStart } from './slow-start.ts'

/** So that streams whose clients are silent do not keep others out for ever. */
const SILENT_MS = 15_000

interface Member {
  readonly sinceMs: number
  /** Part of a core that it needs. */
  share: number
  /** Whether it had an answer: then it was measured together with the others. */
  wasHeard: boolean
  /** Whether it is no newcomer any more. */
  isSettled: boolean
}

export class EngineLoad {
  readonly #admission: Admission
  readonly #slowStart = new SlowStart()
  readonly #members = new Map<number, Member>()
  #learnedAtMs: number

  constructor(limits: AdmissionLimits, nowMs: number) {
    this.#admission = new Admission(limits, nowMs)
    this.#learnedAtMs = nowMs
  }

  add(id: number, share: number, nowMs: number): void {
    this.#members.set(id, { sinceMs: nowMs, share, wasHeard: false, isSettled: false })
  }

  change(id: number, share: number): void {
    const member = this.#members.get(id)
    if (member !== undefined) member.share = share
  }

  remove(id: number): void {
    this.#members.delete(id)
  }

  /** Part of a core that all streams need. */
  get demand(): number {
    return sumOfShares(this.#members.values())
  }

  /** How much more it can carry. Negative where it has taken on too much. */
  get room(): number {
    return this.#admission.room(this.demand)
  }

  /** How much of that newcomers get now. Negative where more have come already. */
  get roomForNewcomers(): number {
    const { demand } = this
    return this.#slowStart.limit(this.#settled, demand + this.#admission.room(demand)) - demand
  }

  /** Returns whether the room may have changed. */
  record(nowMs: number, id: number, done: WorkDone): boolean {
    const member = this.#members.get(id)
    if (member !== undefined && done.isDue) member.wasHeard = true
    return this.#admission.record(nowMs, done, this.#demand) && this.#learn(nowMs)
  }

  /** To be called also when nothing is done. */
  advance(nowMs: number): boolean {
    return this.#admission.advance(nowMs, this.#demand) && this.#learn(nowMs)
  }

  get #demand(): Demand {
    const heard = [...this.#members.values()].filter(({ wasHeard }) => wasHeard)
    return { all: this.demand, heard: sumOfShares(heard) }
  }

  get #settled(): number {
    return sumOfShares([...this.#members.values()].filter(({ isSettled }) => isSettled))
  }

  #learn(nowMs: number): true {
    const { isLate, heard } = this.#admission
    if (!isLate) this.#settle(nowMs)
    const { demand } = this
    this.#slowStart.learn({
      elapsedMs: nowMs - this.#learnedAtMs,
      heard,
      settled: this.#settled,
      most: demand + this.#admission.room(demand),
      isLate,
    })
    this.#learnedAtMs = nowMs
    return true
  }

  #settle(nowMs: number): void {
    for (const member of this.#members.values())
      if (member.wasHeard || nowMs - member.sinceMs >= SILENT_MS) member.isSettled = true
  }
}

function sumOfShares(members: Iterable<Member>): number {
  let sum = 0
  for (const { share } of members) sum += share
  return sum
}
