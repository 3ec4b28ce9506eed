import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MOST_INTENSITY } from '#server/recogniser/pool/capacity.js'
import {
  deadlineMs,
  nextStream,
  PATIENCE_MS,
  Pace,
  Usage,
  type Waiting,
} from '#server/recogniser/pool/schedule.js'
import { type ServedStream, StepMeter } from '#server/recogniser/pool/step.js'

const CHUNK_MS = 1120

describe('due times', () => {
  it('are now for audio in real time, and run ahead for a file sent fast', () => {
    const live = new Pace()
    expect([1120, 2240, 3360].map(now => live.take(now, CHUNK_MS))).toEqual([1120, 2240, 3360])
    const file = new Pace()
    expect([0, 0, 0].map(now => file.take(now, CHUNK_MS))).toEqual([0, 1120, 2240])
  })

  it('give no credit for a pause', () => {
    const pace = new Pace()
    pace.take(1120, CHUNK_MS)
    expect(pace.take(60_000, CHUNK_MS)).toBe(60_000)
    expect(pace.take(60_000, CHUNK_MS)).toBe(61_120)
  })
})

const audio = (dueMs: number): Waiting => ({ type: 'audio', dueMs })
const flush = (dueMs: number): Waiting => ({ type: 'flush', dueMs })
const control = (type: 'reset' | 'configure', dueMs: number): Waiting => ({ type, dueMs })

describe('the deadline of a stream', () => {
  it.each<[string, Waiting[], boolean, number]>([
    ['nothing waits', [], true, Number.POSITIVE_INFINITY],
    ['an utterance begins', [audio(5000)], false, 5150],
    ['an utterance has words and goes on', [audio(5000)], true, 6000],
    ['a flush', [flush(5000)], true, 5350],
    ['a flush before anything was heard', [flush(5000)], false, 5350],
    [
      'a chunk and the flush after it: a client that waits for the flush waits for both',
      [audio(5000), flush(5100)],
      true,
      5450,
    ],
    ['a file in the middle: its next chunk is due later', [audio(9000), audio(10_120)], true, 10_000],
    ['the next utterance begins after a flush', [flush(5000), audio(5100)], true, 5250],
    ['a reset', [control('reset', 5000)], true, 5350],
    ['new settings', [control('configure', 5000)], false, 5350],
    ['new settings after a flush', [flush(5000), control('configure', 5100)], true, 5350],
  ])('%s', (_, inbox, hasText, expected) => {
    expect(deadlineMs(inbox, hasText)).toBe(expected)
  })

  it('is later for a stream that has used more than its part', () => {
    const usage = new Usage()
    // Two hundredths of the engine are its own, so 20 ms of work pay for one second.
    const entitlement = { part: 0.02, advanceMs: 20 }
    usage.charge(5000, 20, entitlement)
    expect(deadlineMs([flush(5000)], true, usage.paidUntilMs)).toBe(5350)
    usage.charge(5000, 20, entitlement)
    expect(deadlineMs([flush(5000)], true, usage.paidUntilMs)).toBe(6350)
    expect(deadlineMs([flush(7000)], true, usage.paidUntilMs)).toBe(7350)
  })
})

describe('the next stream', () => {
  it('is none when nothing waits', () => {
    expect(nextStream([{ deadlineMs: Number.POSITIVE_INFINITY }])).toBeUndefined()
  })

  it('is one that begins to speak, then one that flushed, then one that goes on, then the file, when all came at once', () => {
    const begins = inboxOf(false, audio(5000))
    const flushed = inboxOf(true, flush(5000))
    const goesOn = inboxOf(true, audio(5000))
    const file = inboxOf(true, audio(7000))
    const order = []
    for (const left = new Set([file, goesOn, flushed, begins]); left.size > 0; left.delete(order.at(-1)!)) {
      order.push(nextStream(left)!)
    }
    expect(order).toEqual([begins, flushed, goesOn, file])
  })

  it('never lets one be overtaken by what became due more than its patience later', () => {
    const item = fc.record({ type: fc.constantFrom('audio' as const, 'flush' as const), dueMs: fc.nat(5000) })
    const stream = fc
      .tuple(fc.boolean(), fc.array(item, { minLength: 1, maxLength: 2 }))
      .map(([hasText, inbox]) => inboxOf(hasText, ...inbox))
    fc.assert(
      fc.property(fc.array(stream, { minLength: 1, maxLength: 8 }), streams => {
        const chosenDue = Math.min(...nextStream(streams)!.inbox.map(({ dueMs }) => dueMs))
        for (const { inbox } of streams) {
          for (const { dueMs } of inbox) expect(chosenDue).toBeLessThan(dueMs + PATIENCE_MS.running)
        }
      }),
    )
  })

  it('keeps the promises at 80 % load beside files sent fast, which get what is left, evenly', () => {
    const speakers = fc.integer({ min: 1, max: 40 })
    fc.assert(
      fc.property(speakers, fc.integer({ min: 0, max: 4 }), fc.nat(), (speakerCount, fileCount, seed) => {
        const { waits, files } = simulate(speakerCount, fileCount, seed)
        for (const kind of ['beginning', 'flush', 'running'] as const) {
          expect(nearlyWorst(waits[kind])).toBeLessThanOrEqual(PATIENCE_MS[kind])
        }
        const speakersMs =
          (waits.beginning.length + waits.running.length) * COST_MS.audio + waits.flush.length * COST_MS.flush
        const left = (DURATION_MS - speakersMs) / COST_MS.audio
        for (const { done } of files) expect(done).toBeGreaterThanOrEqual(Math.floor(left / fileCount) - 2)
      }),
      { numRuns: 30 },
    )
  })
})

describe('a stream that floods the engine with flushes', () => {
  it.each([
    ...[1, 10, 25, 40].map(speakerCount => ({ speakerCount, slowdown: 1 })),
    ...[1, 3, 8].map(speakerCount => ({ speakerCount, slowdown: 4 })),
  ])(
    'delays $speakerCount others by no more than one item of its own where a step takes $slowdown times as long as it costs',
    ({ speakerCount, slowdown }) => {
      // The same twenty runs with and without the flood, together: the 99th percentile of one run is a single answer.
      const seeds = Array.from({ length: 20 }, (_, i) => i + 1)
      const runs = (makeFloods: () => SimulatedFlood[]) =>
        seeds.map(seed => simulate(speakerCount, 0, seed, makeFloods(), slowdown).waits)
      const alone = runs(() => [])
      const beside = runs(() => [new SimulatedFlood()])
      for (const kind of ['beginning', 'flush'] as const) {
        const [before, after] = [alone, beside].map(all =>
          nearlyWorst(all.flatMap(waits => waits[kind])),
        ) as [number, number]
        expect(after).toBeLessThanOrEqual(before + COST_MS.flush * slowdown)
      }
    },
  )
})

interface WaitingStream {
  readonly inbox: readonly { readonly type: 'audio' | 'flush'; readonly dueMs: number }[]
  readonly deadlineMs: number
}

function inboxOf(hasText: boolean, ...inbox: Waiting[]): WaitingStream {
  return { inbox: inbox as WaitingStream['inbox'], deadlineMs: deadlineMs(inbox, hasText) }
}

/** What an engine needs for a chunk and for a flush with the silence after it, about as measured. */
const COST_MS = { audio: 18, flush: 22 } as const
const DURATION_MS = 60_000
/** As many answers as the service lets a client be owed. */
const OWED = 32

const SHARE = COST_MS.audio / CHUNK_MS + COST_MS.flush / 5000

class Simulated implements ServedStream {
  readonly promise = { dueMs: 0, patienceMs: 1 }
  readonly #pace = new Pace()
  readonly #usage = new Usage()
  readonly #inbox: { type: 'audio' | 'flush'; dueMs: number; atMs: number }[] = []
  readonly waits = { beginning: [] as number[], flush: [] as number[], running: [] as number[] }
  #hasText = false

  get deadlineMs(): number {
    return deadlineMs(this.#inbox, this.#hasText, this.#usage.paidUntilMs)
  }

  put(type: 'audio' | 'flush', atMs: number, durationMs: number): void {
    this.#inbox.push({ type, atMs, dueMs: this.#pace.take(atMs, durationMs) })
  }

  get expectedMs(): number {
    return COST_MS[this.#inbox[0]!.type]
  }

  charge(nowMs: number, costMs: number, equalPart: number): void {
    const part = Math.max(MOST_INTENSITY * SHARE, equalPart)
    this.#usage.charge(nowMs, costMs, { part, advanceMs: 4 * COST_MS.audio })
  }

  /** Returns when it is done. */
  doNext(nowMs: number, tookMs: number): number {
    const { type, atMs } = this.#inbox.shift()!
    const doneMs = nowMs + tookMs
    const kind = type === 'flush' ? 'flush' : this.#hasText ? 'running' : 'beginning'
    this.waits[kind].push(doneMs - atMs)
    this.#hasText = type === 'audio'
    return doneMs
  }
}

/** A file sent fast: the next chunk is there whenever one is done. */
class SimulatedFile extends Simulated {
  done = 0

  override doNext(nowMs: number, tookMs: number): number {
    this.put('audio', 0, CHUNK_MS)
    this.done++
    return super.doNext(nowMs, tookMs)
  }
}

/** Flushes after every sample: the next flush is there whenever one is answered. */
class SimulatedFlood extends Simulated {
  override doNext(nowMs: number, tookMs: number): number {
    const doneMs = super.doNext(nowMs, tookMs)
    this.put('flush', doneMs, 1 / 16)
    return doneMs
  }
}

/** One engine; people who speak one utterance after the other, each from another moment on; files that came all at once. */
function simulate(
  speakerCount: number,
  fileCount: number,
  seed: number,
  floods: readonly SimulatedFlood[] = [],
  slowdown = 1,
) {
  const speakers = Array.from({ length: speakerCount }, () => new Simulated())
  const files = Array.from({ length: fileCount }, () => new SimulatedFile())
  for (const file of files) file.put('audio', 0, CHUNK_MS)
  for (const flood of floods) for (let i = 0; i < OWED; i++) flood.put('flush', 0, 1 / 16)
  const streams = [...floods, ...files, ...speakers]
  const speech = speakers.flatMap((speaker, i) => speak(speaker, seed + i)).sort((a, b) => b.atMs - a.atMs)
  let now = 0
  let workMs = 0
  const meter = new StepMeter({ now: () => now, work: () => workMs })
  while (now < DURATION_MS) {
    while ((speech.at(-1)?.atMs ?? DURATION_MS) <= now) speech.pop()!.say()
    const next = nextStream(streams)
    if (next === undefined) now = speech.at(-1)?.atMs ?? DURATION_MS
    else
      meter.measure([next], streams.length, () => {
        const costMs = next.expectedMs
        now = next.doNext(now, costMs * slowdown)
        workMs += costMs
      })
  }
  return { files, waits: allWaits(speakers) }
}

function allWaits(streams: readonly Simulated[]) {
  return {
    beginning: streams.flatMap(({ waits }) => waits.beginning),
    flush: streams.flatMap(({ waits }) => waits.flush),
    running: streams.flatMap(({ waits }) => waits.running),
  }
}

/** When a speaker's chunks and flushes come: utterances of one to seven seconds, without a pause. */
function speak(speaker: Simulated, seed: number): { atMs: number; say(): void }[] {
  const random = randomNumbers(seed)
  const events = []
  for (let began = random() * CHUNK_MS; began < DURATION_MS; ) {
    const lengthMs = 1000 + random() * 6000
    for (let atMs = began + CHUNK_MS; atMs < began + lengthMs; atMs += CHUNK_MS) {
      events.push({ atMs, say: () => speaker.put('audio', atMs, CHUNK_MS) })
    }
    began += lengthMs
    const end = began
    events.push({ atMs: end, say: () => speaker.put('flush', end, lengthMs % CHUNK_MS) })
  }
  return events
}

function randomNumbers(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** All but one in a hundred wait no longer. */
function nearlyWorst(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0
}
