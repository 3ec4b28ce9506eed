// One engine on a clock of its own: people ask for sessions and speak in real time; the engine admits them, does their chunks in the order of
// their deadlines, and records how long they wait for their finals. The test decides how long a step takes. Those who are refused leave, or come
// back when they were told to.

import { ReturnTimes } from '#server/nodes/return-times.js'
import { MAX_LOAD, MOST_INTENSITY, type StepCosts, streamShare } from '#server/recogniser/pool/capacity.js'
import { EngineLoad } from '#server/recogniser/pool/engine-load.js'
import { deadlineMs, nextStream, Pace, patienceMs, Usage } from '#server/recogniser/pool/schedule.js'
import { MESSAGE_MS, type ServedStream, StepMeter } from '#server/recogniser/pool/step.js'

const CHUNK_MS = 1120
const LENGTH_MS = { audio: CHUNK_MS, flush: CHUNK_MS / 2 }
/** Four chunks, then a flush in the middle of the fifth. */
const ITEMS_PER_UTTERANCE = 5
/** What was measured when the engine started. */
const COST_MS = { audio: 9, flush: 12 }
const COSTS: StepCosts = {
  13: { plainMs: COST_MS.audio, biasedMs: COST_MS.audio, flushMs: COST_MS.flush, savedMs: 0 },
}
const SHARE = streamShare(COSTS, { lookAhead: 13, phrases: [] })
const STEPS_AT_ONCE = 4
const IDLE_MS = 5
const SAMPLED_EVERY_MS = 1000

const LIMITS = { maxLoad: MAX_LOAD, overhead: 1, serviceCpuMs: () => 0 }

export interface Scenario {
  readonly endMs: number
  /** When somebody asks for a session. */
  readonly asked: Iterable<number>
  /** How long somebody speaks. */
  readonly sessionMs: number
  /** How many times longer a step takes at this moment, with so many streams, than it did when the engine started. */
  readonly slowdown: (nowMs: number, open: number) => number
  readonly refused?: 'leave' | 'come back'
}

interface Final {
  readonly atMs: number
  readonly waitMs: number
}

export interface Course {
  readonly finals: Final[]
  readonly refusedAtMs: number[]
  /** How many seconds those who were refused were told to wait. */
  readonly told: number[]
  /** Every second: how many streams are open, and how many would be admitted in all. */
  readonly seconds: { readonly atMs: number; readonly open: number; readonly capacity: number }[]
}

interface Item {
  readonly type: 'audio' | 'flush'
  readonly atMs: number
  readonly dueMs: number
}

class Speaker implements ServedStream {
  readonly id: number
  readonly inbox: Item[] = []
  readonly endMs: number
  readonly #pace = new Pace()
  readonly #usage = new Usage()
  #nextMs: number
  #items = 0
  #done = 0

  constructor(nowMs: number, sessionMs: number, number: number) {
    this.id = number
    this.endMs = nowMs + sessionMs
    this.#nextMs = nowMs + CHUNK_MS + ((number * 397) % CHUNK_MS)
  }

  get hasText(): boolean {
    return this.#done % ITEMS_PER_UTTERANCE !== 0
  }

  get deadlineMs(): number {
    return deadlineMs(this.inbox, this.hasText, this.#usage.paidUntilMs)
  }

  get promise() {
    const [{ type, dueMs }] = this.inbox as [Item]
    return {
      dueMs: Math.max(dueMs, this.#usage.paidUntilMs),
      patienceMs: patienceMs(type, this.hasText),
    }
  }

  expectedMs(): number {
    return workMs(this.inbox[0]!)
  }

  charge(nowMs: number, costMs: number, equalPart: number): void {
    this.#usage.charge(nowMs, costMs, {
      part: Math.max(MOST_INTENSITY * SHARE, equalPart),
      advanceMs: STEPS_AT_ONCE * COST_MS.audio,
    })
  }

  speak(nowMs: number): void {
    while (this.#nextMs <= nowMs && this.#nextMs < this.endMs) {
      const dueMs = this.#pace.take(this.#nextMs, LENGTH_MS[this.#nextType])
      this.inbox.push({ type: this.#nextType, atMs: this.#nextMs, dueMs })
      this.#items++
      this.#nextMs += LENGTH_MS[this.#nextType]
    }
  }

  get #nextType(): Item['type'] {
    return this.#items % ITEMS_PER_UTTERANCE === ITEMS_PER_UTTERANCE - 1 ? 'flush' : 'audio'
  }

  take(): void {
    this.#done++
    this.inbox.shift()
  }
}

export function simulate(scenario: Scenario): Course {
  const simulation = new Simulation(scenario)
  simulation.run()
  return simulation.course
}

class Simulation {
  readonly course: Course = { finals: [], refusedAtMs: [], told: [], seconds: [] }
  readonly #scenario: Scenario
  readonly #load = new EngineLoad(LIMITS, 0)
  readonly #returns = new ReturnTimes(() => 0)
  readonly #clock = { nowMs: 0, workMs: 0 }
  readonly #meter = new StepMeter({ now: () => this.#clock.nowMs, work: () => this.#clock.workMs })
  #asked: number[]
  #speakers: Speaker[] = []
  #count = 0

  constructor(scenario: Scenario) {
    this.#scenario = scenario
    this.#asked = [...scenario.asked]
  }

  run(): void {
    for (let now = 0; now < this.#scenario.endMs; ) {
      this.#sendHome(now)
      this.#load.advance(now)
      this.#admit(now)
      this.#sample(now)
      for (const speaker of this.#speakers) speaker.speak(now)
      const next = nextStream(this.#speakers)
      now = next === undefined ? now + IDLE_MS : this.#doNext(next, now)
    }
  }

  #sendHome(now: number): void {
    const isOver = ({ endMs, inbox }: Speaker) => now >= endMs && inbox.length === 0
    for (const { id } of this.#speakers.filter(isOver)) this.#load.remove(id)
    this.#speakers = this.#speakers.filter(speaker => !isOver(speaker))
  }

  /** In the end, and now. */
  get #capacity(): number {
    return Math.max(1, this.#speakers.length + Math.floor(this.#load.room / SHARE))
  }

  get #limit(): number {
    const more = Math.ceil(this.#load.roomForNewcomers / SHARE)
    return Math.max(1, Math.min(this.#capacity, this.#speakers.length + more))
  }

  #admit(now: number): void {
    const here = this.#asked.filter(at => at <= now)
    this.#asked = this.#asked.filter(at => at > now)
    for (const askedMs of here) {
      if (this.#speakers.length < this.#limit) this.#welcome(now)
      else this.#refuse(askedMs)
    }
  }

  #welcome(now: number): void {
    const speaker = new Speaker(now, this.#scenario.sessionMs, this.#count++)
    this.#speakers.push(speaker)
    this.#load.add(speaker.id, SHARE, now)
  }

  #refuse(askedMs: number): void {
    this.course.refusedAtMs.push(askedMs)
    const heldBack = this.#capacity - this.#limit
    const refused = { accountId: 'all', slotFreeAt: null, heldBack, now: new Date(askedMs) }
    const returnMs = this.#returns.promise(refused).getTime()
    this.course.told.push((returnMs - askedMs) / 1000)
    if (this.#scenario.refused === 'come back') this.#asked.push(returnMs)
  }

  #sample(now: number): void {
    const last = this.course.seconds.at(-1)?.atMs ?? -SAMPLED_EVERY_MS
    if (now - last < SAMPLED_EVERY_MS) return
    this.course.seconds.push({ atMs: now, open: this.#speakers.length, capacity: this.#capacity })
  }

  /** Returns when it is done. */
  #doNext(speaker: Speaker, beganMs: number): number {
    const [item] = speaker.inbox as [Item]
    const clock = this.#clock
    clock.nowMs = beganMs
    const [done] = this.#meter.measure([speaker], this.#speakers.length, () => {
      clock.nowMs += workMs(item) * this.#scenario.slowdown(beganMs, this.#speakers.length)
      clock.workMs += workMs(item)
      speaker.take()
    })
    this.#load.record(clock.nowMs, speaker.id, done!)
    if (item.type === 'flush') this.course.finals.push({ atMs: beganMs, waitMs: clock.nowMs - item.atMs })
    return clock.nowMs
  }
}

/** Without the messages, which every step is charged for. */
function workMs({ type }: Item): number {
  return COST_MS[type] - MESSAGE_MS
}
