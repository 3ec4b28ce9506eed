import { describe, expect, it } from 'vitest'
import { Admission } from '#server/recogniser/pool/admission.js'
import { deadlineMs, nextStream, PATIENCE_MS, Pace } from '#server/recogniser/pool/schedule.js'

const MAX_LOAD = 0.8
const NOMINAL = 70

/** A second in which the engine was busy for this part, its answers this late. */
function second(admission: Admission, at: number, open: number, load: number, lateness: number): number {
  for (let i = 1; i <= 20; i++) {
    const done = { workMs: load * 50, isDue: true, lateness }
    admission.record((at + i / 20) * 1000, done, open, NOMINAL)
  }
  return admission.limit(NOMINAL)
}

describe('admission', () => {
  it('follows the measured costs as long as the engine keeps up', () => {
    const admission = new Admission(MAX_LOAD, 0)
    for (let at = 0; at < 20; at++) expect(second(admission, at, 40, 0.4, 0.1)).toBe(NOMINAL)
  })

  it('stops where the engine would be fuller than allowed, before anybody waits', () => {
    const admission = new Admission(MAX_LOAD, 0)
    let limit = NOMINAL
    for (let at = 0; at < 10; at++) limit = second(admission, at, 30, 0.8, 0.2)
    expect(limit).toBe(30)
  })

  it('retreats when answers are late, and comes back slowly when they are not', () => {
    const admission = new Admission(MAX_LOAD, 0)
    const late = second(admission, 0, 50, 0.95, 1.2)
    expect(late).toBeLessThan(50)
    const limits = Array.from({ length: 60 }, (_, i) => second(admission, 1 + i, 20, 0.2, 0.05))
    expect(limits[1]!).toBeLessThan(late * 1.2)
    expect(limits.at(-1)).toBe(NOMINAL)
    for (const [i, limit] of limits.entries()) expect(limit).toBeGreaterThanOrEqual(limits[i - 1] ?? 0)
  })

  it('recovers when nothing is left to do', () => {
    const admission = new Admission(MAX_LOAD, 0)
    second(admission, 0, 50, 0.95, 1.2)
    for (let at = 2; at < 120; at += 2.5) admission.advance(at * 1000, 0, NOMINAL)
    expect(admission.limit(NOMINAL)).toBe(NOMINAL)
  })

  it('does not count what is done ahead of time: a file sent fast keeps nobody out', () => {
    const admission = new Admission(MAX_LOAD, 0)
    for (let at = 0; at < 10_000; at += 50)
      admission.record(at, { workMs: 50, isDue: false, lateness: -5 }, 1, NOMINAL)
    expect(admission.limit(NOMINAL)).toBe(NOMINAL)
  })
})

describe('an engine whose machine gives half of its time to somebody else for a minute', () => {
  it('keeps its promise to those that it admits before, meanwhile and afterwards', () => {
    const simulation = new Simulation()
    simulation.run()
    const { phases } = simulation
    for (const phase of Object.values(phases)) expect(p99(phase)).toBeLessThan(PATIENCE_MS.flush)
    expect(phases.during.refused).toBeGreaterThan(0)
    expect(phases.during.open).toBeLessThan(phases.before.open)
    expect(phases.after.open).toBeGreaterThan(phases.during.open)
  })
})

const COST_MS = { audio: 9, flush: 12 }
const CHUNK_MS = 1120
/** The neighbour comes and goes; figures are taken when sessions from before have ended. */
const [BUSY_FROM_MS, BUSY_UNTIL_MS, END_MS] = [120_000, 300_000, 480_000]
const SESSION_MS = 30_000
const ASKED_EVERY_MS = 250

interface Item {
  readonly type: 'audio' | 'flush'
  readonly atMs: number
  readonly dueMs: number
}

class Speaker {
  readonly inbox: Item[] = []
  readonly #pace = new Pace()
  readonly endMs: number
  #nextMs: number
  #chunks = 0

  constructor(nowMs: number, number: number) {
    this.endMs = nowMs + SESSION_MS
    this.#nextMs = nowMs + ((number * 397) % CHUNK_MS)
  }

  get deadlineMs(): number {
    return deadlineMs(this.inbox, this.#chunks % 4 !== 0)
  }

  /** Four chunks, then a flush in the middle of the fifth. */
  speak(nowMs: number): void {
    for (; this.#nextMs <= nowMs && this.#nextMs < this.endMs; this.#chunks++) {
      const type = this.#chunks % 5 === 4 ? 'flush' : 'audio'
      const lengthMs = type === 'flush' ? CHUNK_MS / 2 : CHUNK_MS
      const dueMs = this.#pace.take(this.#nextMs, lengthMs)
      this.inbox.push({ type, atMs: this.#nextMs, dueMs })
      this.#nextMs += type === 'flush' ? CHUNK_MS : lengthMs
    }
  }
}

/** One engine. Somebody asks for a session four times a second. */
class Simulation {
  readonly phases = { before: newPhase(), during: newPhase(), after: newPhase() }
  readonly #admission = new Admission(MAX_LOAD, 0)
  #speakers: Speaker[] = []
  #askedMs = 0
  #count = 0

  run(): void {
    for (let now = 0; now < END_MS; ) {
      this.#speakers = this.#speakers.filter(({ endMs, inbox }) => now < endMs || inbox.length > 0)
      this.#admit(now)
      for (const speaker of this.#speakers) speaker.speak(now)
      const next = nextStream(this.#speakers)
      now = next === undefined ? now + 5 : this.#doNext(next, now)
    }
  }

  #admit(now: number): void {
    const phase = phaseAt(now, this.phases)
    for (; this.#askedMs <= now; this.#askedMs += ASKED_EVERY_MS) {
      const isFull = this.#speakers.length >= this.#admission.limit(NOMINAL)
      if (!isFull) this.#speakers.push(new Speaker(now, this.#count++))
      else if (phase) phase.refused++
    }
    if (phase) phase.open = this.#speakers.length
  }

  /** Returns when it is done. */
  #doNext(speaker: Speaker, now: number): number {
    const { type, atMs, dueMs } = speaker.inbox.shift()!
    const workMs = COST_MS[type] * (now > BUSY_FROM_MS && now < BUSY_UNTIL_MS ? 2 : 1)
    const doneMs = now + workMs
    const lateness = (doneMs - dueMs) / PATIENCE_MS[type === 'flush' ? 'flush' : 'running']
    this.#admission.record(doneMs, { workMs, isDue: true, lateness }, this.#speakers.length, NOMINAL)
    if (type === 'flush') phaseAt(now, this.phases)?.waits.push(doneMs - atMs)
    return doneMs
  }
}

function p99({ waits }: Phase): number {
  return [...waits].sort((a, b) => a - b)[Math.floor(waits.length * 0.99)]!
}

interface Phase {
  readonly waits: number[]
  refused: number
  open: number
}

function newPhase(): Phase {
  return { waits: [], refused: 0, open: 0 }
}

/** None while sessions from the phase before are still open. */
function phaseAt(now: number, phases: Record<'before' | 'during' | 'after', Phase>): Phase | undefined {
  if (now > SESSION_MS && now < BUSY_FROM_MS) return phases.before
  if (now > BUSY_FROM_MS + SESSION_MS && now < BUSY_UNTIL_MS) return phases.during
  return now > BUSY_UNTIL_MS + SESSION_MS ? phases.after : undefined
}
