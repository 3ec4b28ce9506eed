// Floods against endpointing: whatever the voice detector says, however long, and whatever the client and the recogniser do meanwhile.

import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VOICE_FRAME_SAMPLES } from '#server/recogniser/port.js'
import { Endpointer, type Turn } from '#server/stream/conversation/endpointer.js'
import { Endpointing } from '#server/stream/conversation/endpointing.js'
import { growthOf, heldBytes } from '../../support/memory.ts'

const FRAME_MS = 32
const VOICE = 0.5
const VOICE_IN_NOISE = 0.6
const SURE_SILENCE = 0.002
const LONGEST_DOUBT_MS = 200
const HOUR_FRAMES = (3600 * 1000) / FRAME_MS
const NEVER = Number.NEGATIVE_INFINITY

/** The limits, both sides of them, and what a broken detector may say. */
const CORNERS = [
  0,
  1,
  VOICE,
  VOICE + 0.01,
  VOICE_IN_NOISE,
  VOICE_IN_NOISE + 0.01,
  SURE_SILENCE,
  SURE_SILENCE - 0.0001,
  Number.NaN,
  -1,
  2,
  Number.POSITIVE_INFINITY,
  NEVER,
]
const likelihood = fc.oneof(fc.constantFrom(...CORNERS), fc.double())
const silenceMs = fc.integer({ min: 200, max: 5_000 })

interface Sound {
  /** One after the other, again and again: with two, every frame differs from the one before. */
  readonly likelihoods: readonly number[]
  readonly frames: number
  readonly isAsQuietAsNoise: boolean
}

const sound: fc.Arbitrary<Sound> = fc.record({
  likelihoods: fc.array(likelihood, { minLength: 1, maxLength: 5 }),
  frames: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 400 })),
  isAsQuietAsNoise: fc.boolean(),
})

const isVoice = (one: number, isAsQuietAsNoise: boolean) => one > (isAsQuietAsNoise ? VOICE_IN_NOISE : VOICE)
const isSureSilence = (one: number) => one < SURE_SILENCE

/** What is known of an endpointer from outside: every frame that it hears is held against what it promises. */
class Witness {
  readonly endpointer: Endpointer
  readonly #silenceMs: number
  #frames = 0
  #lastVoiceMs = NEVER
  #lastTurn: Turn = { type: 'ended', atMs: 0 }

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs
    this.endpointer = new Endpointer(silenceMs)
  }

  hear({ likelihoods, frames, isAsQuietAsNoise }: Sound): void {
    for (let at = 0; at < frames; at++)
      this.#hearFrame(likelihoods[at % likelihoods.length]!, isAsQuietAsNoise)
  }

  stop(): void {
    this.#note(this.endpointer.stop())
    expect(this.endpointer.isSpeech).toBe(false)
  }

  #hearFrame(likelihood: number, isAsQuietAsNoise: boolean): void {
    const endMs = ++this.#frames * FRAME_MS
    if (isVoice(likelihood, isAsQuietAsNoise)) this.#lastVoiceMs = endMs
    const turn = this.endpointer.hear(likelihood, endMs, isAsQuietAsNoise)
    this.#note(turn)
    const silentMs = endMs - this.#lastVoiceMs
    const patienceMs = this.#silenceMs + (isSureSilence(likelihood) ? 0 : LONGEST_DOUBT_MS)
    check(turn?.type !== 'ended' || silentMs >= patienceMs, 'it ended too soon')
    check(!this.endpointer.isSpeech || silentMs < patienceMs, 'it ended too late')
    check(turn?.type !== 'started' || silentMs === 0, 'it began without a voice')
  }

  #note(turn: Turn | undefined): void {
    if (!turn) return
    check(turn.type !== this.#lastTurn.type, 'not in turn')
    check(turn.atMs >= this.#lastTurn.atMs, 'time went backwards')
    check(turn.atMs <= this.#frames * FRAME_MS, 'in the future')
    check(
      turn.type === 'started' || turn.atMs === this.#lastVoiceMs,
      'ended elsewhere than with the last voice',
    )
    this.#lastTurn = turn
  }
}

/** For hours of frames: expect() would take longer than everything else. */
function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

describe('an endpointer, whatever it hears', () => {
  const story = fc.array(fc.oneof({ weight: 8, arbitrary: sound }, fc.constant('stop' as const)), {
    maxLength: 30,
  })

  it('tells beginnings and ends in turn, in the order of time, and no end too soon or too late', () => {
    fc.assert(
      fc.property(silenceMs, story, (silence, sounds) => {
        const witness = new Witness(silence)
        for (const one of sounds) {
          if (one === 'stop') witness.stop()
          else witness.hear(one)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('ends speech when sure silence has lasted as long as was asked for, whatever came before', () => {
    fc.assert(
      fc.property(silenceMs, fc.array(sound, { maxLength: 10 }), (silence, sounds) => {
        const witness = new Witness(silence)
        for (const one of sounds) witness.hear(one)
        const frames = Math.ceil(silence / FRAME_MS)
        witness.hear({ likelihoods: [0], frames, isAsQuietAsNoise: false })
        expect(witness.endpointer.isSpeech).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['voice without end', [1]],
    ['silence without end', [0]],
    ['doubt without end', [0.3]],
    ['nothing that is a number', [Number.NaN]],
    ['voice and silence in turn', [1, 0]],
    ['voice and nonsense in turn', [1, Number.NaN]],
    ['clicks that begin no speech', [1, 0, 0, 0]],
    ['speech that begins and ends all the time', [...Array(4).fill(1), ...Array(8).fill(0)]],
  ])('keeps its promises and remembers no more after hours of %s', (_, likelihoods) => {
    const witness = new Witness(200)
    const readings = Array.from({ length: 4 }, () => {
      witness.hear({ likelihoods, frames: 2 * HOUR_FRAMES, isAsQuietAsNoise: false })
      return heldBytes()
    })
    // A number kept per frame would be 1.8 MB in two hours.
    expect(growthOf(readings)).toBeLessThan(800_000)
  })
})

type Step =
  | { readonly type: 'sound'; readonly sound: Sound; readonly loudness: number; readonly cut: number }
  /** The recogniser found words up to this part of what it has heard. */
  | { readonly type: 'words'; readonly part: number }
  /** The client flushes or resets. */
  | { readonly type: 'release' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('sound' as const),
      sound,
      loudness: fc.constantFrom(0, 1, 100, 30_000),
      cut: fc.integer({ min: 1, max: 4_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('words' as const),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'release' as const }) },
)

/** A stream with endpointing whose detector answers what the test says, at the latest when the next sound comes. */
class Stream {
  readonly told: { type: string; audio_ms: number }[] = []
  /** Samples before each end of an utterance. */
  readonly ends: number[] = []
  readonly endpointing: Endpointing
  pushed = 0
  handedOn = 0
  #asked = 0

  constructor(silence: number, samplesBefore: number) {
    this.endpointing = new Endpointing({
      silenceMs: silence,
      detector: {
        open: () => ({
          push: frames => {
            this.#asked += frames.length / VOICE_FRAME_SAMPLES
          },
          close: () => undefined,
        }),
        close: async () => undefined,
      },
      listener: { onVoice: () => undefined, onLost: () => undefined },
      samplesBefore,
      recogniser: {
        push: samples => {
          this.handedOn += samples.length
        },
        queuedSamples: 0,
      },
      send: event => void this.told.push(event),
      onEnd: () => void this.ends.push(this.handedOn),
    })
  }

  take(next: Step): void {
    if (next.type === 'release') this.endpointing.release()
    else if (next.type === 'words') this.endpointing.noteText((next.part * this.handedOn) / SAMPLES_PER_MS)
    else this.#hear(next)
  }

  answer(likelihoods: readonly number[]): void {
    const answers = Array.from({ length: this.#asked }, (_, at) => likelihoods[at % likelihoods.length]!)
    this.#asked = 0
    this.endpointing.judge(answers)
  }

  #hear({ sound, loudness, cut }: Extract<Step, { type: 'sound' }>): void {
    const samples = new Int16Array(sound.frames * VOICE_FRAME_SAMPLES).fill(loudness)
    for (let at = 0; at < samples.length; at += cut) this.endpointing.push(samples.subarray(at, at + cut))
    this.pushed += samples.length
    this.answer(sound.likelihoods)
  }
}

describe('endpointing, whatever happens to the stream', () => {
  it('tells beginnings and ends in turn and in the order of time, and hands on every sample once', () => {
    const before = fc.oneof(fc.constant(0), fc.nat({ max: 100_000 }))
    fc.assert(
      fc.property(silenceMs, before, fc.array(step, { maxLength: 30 }), (silence, samplesBefore, steps) => {
        const stream = new Stream(silence, samplesBefore)
        for (const next of steps) stream.take(next)
        expect(stream.handedOn + stream.endpointing.queuedSamples).toBe(stream.pushed)
        stream.endpointing.release()
        expect([stream.handedOn, stream.endpointing.queuedSamples]).toEqual([stream.pushed, 0])
        const types = stream.told.map(({ type }) => type)
        const inTurn = types.map((_, at) => (at % 2 === 0 ? 'speech_started' : 'speech_ended'))
        expect(types).toEqual(inTurn)
        expect(types.length % 2).toBe(0)
        const times = stream.told.map(({ audio_ms }) => audio_ms)
        expect(times.every(Number.isSafeInteger)).toBe(true)
        expect(times).toEqual([...times].sort((a, b) => a - b))
        const lastMs = (samplesBefore + stream.pushed) / SAMPLES_PER_MS
        for (const ms of times) expect(ms).toBeLessThanOrEqual(lastMs)
        expect(new Set(stream.ends).size).toBe(stream.ends.length)
      }),
      { numRuns: 300 },
    )
  })
})
