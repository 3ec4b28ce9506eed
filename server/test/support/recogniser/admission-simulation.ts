// One engine on a clock of its own: people ask for sessions and speak in real time; the engine admits them, does their chunks in the order of
// their deadlines, several chunks in one run where they wait together, and records how long they wait for their finals. The test decides how
// long a step takes. Those who are refused leave, or come back when they were told to.

import { ReturnTimes } from '#server/nodes/return-times.js'
import { MAX_LOAD, MOST_INTENSITY, type StepCosts, streamShare } from '#server/recogniser/pool/capacity.js'
import { EngineLoad } from '#server/recogniser/pool/engine-load.js'
import {
  type Chunk,
  deadlineMs,
  nextStreams,
  Pace,
  patienceMs,
  Usage,
} from '#server/recogniser/pool/schedule.js'
import { MESSAGE_MS, type ServedStream, StepMeter } from '#server/recogniser/pool/step.js'

const CHUNK_MS = 1120
/** Where all utterances had one length, people who came together would flush together for ever. */
const UTTERANCE_MS = { least: 3000, most: 8000 } as const
const STEPS_AT_ONCE = 4
const IDLE_MS = 5
const SAMPLED_EVERY_MS = 1000
/** What a chunk costs where so many are heard in one run, of one alone: measured on ARM. */
const TOGETHER = [1, 0.96, 0.94, 0.92]
const CHUNK: Chunk = { network: {}, samples: CHUNK_MS * 16, mostTogether: TOGETHER.length }

/** What was measured when the engine started, and the part of it that the service costs on the same core. */
interface Machine {
  readonly audio: number
  readonly flush: number
  readonly service: number
}

const FAST: Machine = { audio: 9, flush: 12, service: 0 }

export interface Scenario {
  readonly machine?: Machine
  readonly endMs: number
  /** When somebody asks for a session. */
  readonly asked: Iterable<number>
  /** How long somebody speaks. */
  readonly sessionMs: number
  /** How many times longer a step takes at this moment, with so many streams, than it did when the engine started. */
  readonly slowdown: (nowMs: number, open: number) => number
  /** For how long the machine stands still from this moment on, whatever the engine does. */
  readonly haltMs?: (nowMs: number) => number
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
  readonly #costMs: Machine
  readonly inbox: Item[] = []
  readonly endMs: number
  readonly #pace = new Pace()
  readonly #usage = new Usage()
  readonly #random: () => number
  /** When it began to say what it will have said next, and what is left of the utterance then. */
  #saidMs: number
  #leftMs: number
  #hasText = false

  constructor(costMs: Machine, nowMs: number, sessionMs: number, number: number) {
    this.#costMs = costMs
    this.id = number
    this.endMs = nowMs + sessionMs
    this.#random = randomNumbers(number)
    this.#saidMs = nowMs + ((number * 397) % CHUNK_MS)
    this.#leftMs = this.#drawUtterance()
  }

  get deadlineMs(): number {
    return deadlineMs(this.inbox, this.#hasText, this.#usage.paidUntilMs)
  }

  get promise() {
    const [{ type, dueMs }] = this.inbox as [Item]
    return {
      dueMs: Math.max(dueMs, this.#usage.paidUntilMs),
      patienceMs: patienceMs(type, this.#hasText),
    }
  }

  get nextChunk(): Chunk | undefined {
    return this.inbox[0]?.type === 'audio' ? CHUNK : undefined
  }

  /** Without the messages, which every step is charged for. */
  get expectedMs(): number {
    return this.#costMs[this.inbox[0]!.type] - MESSAGE_MS
  }

  charge(nowMs: number, costMs: number, equalPart: number): void {
    this.#usage.charge(nowMs, costMs, {
      part: Math.max(MOST_INTENSITY * shareOf(this.#costMs), equalPart),
      advanceMs: STEPS_AT_ONCE * this.#costMs.audio,
    })
  }

  speak(nowMs: number): void {
    for (let item = this.#next(); item.atMs <= nowMs && item.atMs < this.endMs; item = this.#next()) {
      const lengthMs = item.atMs - this.#saidMs
      this.inbox.push({ ...item, dueMs: this.#pace.take(item.atMs, lengthMs) })
      this.#saidMs = item.atMs
      this.#leftMs = item.type === 'flush' ? this.#drawUtterance() : this.#leftMs - lengthMs
    }
  }

  /** A whole chunk, or the rest of the utterance. */
  #next() {
    const type = this.#leftMs < CHUNK_MS ? ('flush' as const) : ('audio' as const)
    return { type, atMs: this.#saidMs + Math.min(CHUNK_MS, this.#leftMs) }
  }

  #drawUtterance(): number {
    return UTTERANCE_MS.least + this.#random() * (UTTERANCE_MS.most - UTTERANCE_MS.least)
  }

  take(): Item {
    const item = this.inbox.shift()!
    this.#hasText = item.type === 'audio'
    return item
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
  readonly #machine: Machine
  readonly #share: number
  readonly #load: EngineLoad
  readonly #returns = new ReturnTimes(() => 0)
  readonly #clock = { nowMs: 0, workMs: 0, serviceMs: 0 }
  readonly #meter = new StepMeter({ now: () => this.#clock.nowMs, work: () => this.#clock.workMs })
  #asked: number[]
  #speakers: Speaker[] = []
  #count = 0

  constructor(scenario: Scenario) {
    this.#scenario = scenario
    this.#machine = scenario.machine ?? FAST
    this.#share = shareOf(this.#machine)
    const overhead = 1 + this.#machine.service
    const limits = { maxLoad: MAX_LOAD, overhead, serviceCpuMs: () => this.#clock.serviceMs }
    this.#load = new EngineLoad(limits, 0)
    this.#asked = [...scenario.asked]
  }

  run(): void {
    for (let now = 0; now < this.#scenario.endMs; ) {
      this.#sendHome(now)
      this.#load.advance(now)
      this.#admit(now)
      this.#sample(now)
      for (const speaker of this.#speakers) speaker.speak(now)
      const next = nextStreams(this.#speakers)
      now = next.length === 0 ? now + IDLE_MS : this.#doNext(next, now)
    }
  }

  #sendHome(now: number): void {
    const isOver = ({ endMs, inbox }: Speaker) => now >= endMs && inbox.length === 0
    for (const { id } of this.#speakers.filter(isOver)) this.#load.remove(id)
    this.#speakers = this.#speakers.filter(speaker => !isOver(speaker))
  }

  /** In the end, and now. */
  get #capacity(): number {
    return Math.max(1, this.#speakers.length + Math.floor(this.#load.room / this.#share))
  }

  get #limit(): number {
    const more = Math.ceil(this.#load.roomForNewcomers / this.#share)
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
    const speaker = new Speaker(this.#machine, now, this.#scenario.sessionMs, this.#count++)
    this.#speakers.push(speaker)
    this.#load.add(speaker.id, this.#share, now)
  }

  #refuse(askedMs: number): void {
    this.course.refusedAtMs.push(askedMs)
    const heldBack = this.#capacity - this.#limit
    const refused = { accountId: 'all', slotFreeAt: this.#nextEnd, heldBack, now: new Date(askedMs) }
    const returnMs = this.#returns.promise(refused).getTime()
    this.course.told.push((returnMs - askedMs) / 1000)
    if (this.#scenario.refused === 'come back') this.#asked.push(returnMs)
  }

  /** When the first of those who speak has used what is reserved for it, as the ledger tells it. */
  get #nextEnd(): Date {
    return new Date(Math.min(...this.#speakers.map(({ endMs }) => endMs)))
  }

  #sample(now: number): void {
    const last = this.course.seconds.at(-1)?.atMs ?? -SAMPLED_EVERY_MS
    if (now - last < SAMPLED_EVERY_MS) return
    this.course.seconds.push({ atMs: now, open: this.#speakers.length, capacity: this.#capacity })
  }

  /** Returns when it is done. */
  #doNext(speakers: readonly Speaker[], beganMs: number): number {
    const clock = this.#clock
    clock.nowMs = beganMs
    const aloneMs = speakers.reduce((sum, speaker) => sum + speaker.expectedMs, 0)
    let items: readonly Item[] = []
    const done = this.#meter.measure(speakers, this.#speakers.length, () => {
      this.#work(aloneMs * TOGETHER[speakers.length - 1]!)
      items = speakers.map(speaker => speaker.take())
    })
    for (const [i, { id }] of speakers.entries()) this.#load.record(clock.nowMs, id, done[i]!)
    for (const { type, atMs } of items)
      if (type === 'flush') this.course.finals.push({ atMs: beganMs, waitMs: clock.nowMs - atMs })
    return clock.nowMs
  }

  /** The service works in between, on the same core. */
  #work(costMs: number): void {
    const clock = this.#clock
    const serviceMs = costMs * this.#machine.service
    const { slowdown, haltMs = () => 0 } = this.#scenario
    clock.serviceMs += serviceMs
    clock.nowMs += costMs * slowdown(clock.nowMs, this.#speakers.length) + haltMs(clock.nowMs) + serviceMs
    clock.workMs += costMs
  }
}

function shareOf({ audio, flush }: Machine): number {
  const costs: StepCosts = { 13: { plainMs: audio, biasedMs: audio, flushMs: flush } }
  return streamShare(costs, { lookAhead: 13, phrases: [] })
}

/** The same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
