// One whole conversation in one session: settings, mistakes, speech, flush, reset, and the close by the client.

import type { RecordedStream, SeenEvent } from '../recorded-stream.ts'
import type { Scene } from '../rule.ts'
import { KIKUYU, type Session } from '../world.ts'

type Events = readonly SeenEvent[]

export interface Conversation {
  readonly session: Session
  readonly stream: RecordedStream
  readonly opening: Events
  readonly settings: Readonly<Record<SettingStep, Events>>
  readonly mistakes: Readonly<Record<MistakeStep, Events>>
  readonly silentFlush: Events
  /** From the first audio to the first delta. */
  readonly speech: Events
  readonly configUnderWay: Events
  readonly bareConfigUnderWay: Events
  readonly flush: Events
  readonly reset: Events
  readonly twoFlushes: Events
  readonly isPingAnswered: boolean
  readonly closing: RecordedStream['closing']
  readonly bill: unknown
  /** Samples that were sent before the first flush of speech, and before the close. */
  readonly spokenSamples: number
  readonly allSamples: number
}

const SETTINGS = {
  bare: { type: 'config' },
  languageCode: { type: 'config', language: 'ki' },
  languageName: { type: 'config', language: 'Kikuyu' },
  lookAhead6: { type: 'config', context: [56, 6] },
  lookAhead3: { type: 'config', context: [56, 3] },
  lookAhead0: { type: 'config', context: [56, 0] },
  bareAgain: { type: 'config' },
  phrases: { type: 'config', context: ['Nairobi', 'Nyeri'] },
} as const
type SettingStep = keyof typeof SETTINGS

/** Four of them count as invalid messages; the fifth would end the session. */
const MISTAKES = {
  otherLanguage: '{"type":"config","language":"luo"}',
  wrongContext: '{"type":"config","context":[55,13]}',
  tooManyPhrases: JSON.stringify({ type: 'config', context: Array.from({ length: 101 }, () => 'a') }),
  noJson: '{"type":',
  unknownType: '{"type":"conformance_none"}',
} as const
type MistakeStep = keyof typeof MISTAKES

const RESERVED_SECONDS = 10
/** Speech is cut here, so that the session stays cheap. */
const MOST_SPOKEN_BYTES = 8 * 32_000
/** Odd: a sample lies across two frames again and again. */
const FRAME_BYTES = 3_201
const DROPPED_SAMPLES = 8_000

export const conversation: Scene<Conversation> = {
  name: 'a conversation',
  cost: { sessions: 1, seconds: RESERVED_SECONDS },
  async play(world) {
    const session = await world.session({ max_audio_seconds: RESERVED_SECONDS })
    const stream = await world.connect(session)
    const opening = [...stream.events]
    const settings = await sayAll(stream, SETTINGS)
    const mistakes = await sayAll(stream, MISTAKES)
    const silentFlush = await stream.answers(() => stream.say({ type: 'flush' }))
    const clip = world.target.speech[KIKUYU]!.subarray(0, MOST_SPOKEN_BYTES)
    const speech = await stream.after(() => speak(stream, clip), hasDelta)
    const configUnderWay = await stream.after(() => stream.say(SETTINGS.lookAhead6), hasAnswer)
    const bareConfigUnderWay = await stream.answers(() => undefined)
    const flush = await stream.answers(() => stream.say({ type: 'flush' }))
    const reset = await stream.answers(() => {
      stream.audio(Buffer.alloc(2 * DROPPED_SAMPLES))
      stream.say({ type: 'reset' })
    })
    const twoFlushes = await stream.answers(() => {
      stream.say({ type: 'flush' })
      stream.say({ type: 'flush' })
    })
    const isPingAnswered = await stream.ping()
    const closing = await stream.close()
    const bill = await world.bill(session)
    const spokenSamples = clip.length / 2
    const allSamples = spokenSamples + DROPPED_SAMPLES
    return {
      session,
      stream,
      opening,
      settings,
      mistakes,
      silentFlush,
      speech,
      configUnderWay,
      bareConfigUnderWay,
      flush,
      reset,
      twoFlushes,
      isPingAnswered,
      closing,
      bill,
      spokenSamples,
      allSamples,
    }
  },
}

async function sayAll<Step extends string>(
  stream: RecordedStream,
  messages: Readonly<Record<Step, object | string>>,
): Promise<Record<Step, Events>> {
  const heard: Partial<Record<Step, Events>> = {}
  for (const [step, message] of Object.entries(messages) as [Step, object | string][]) {
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    heard[step] = await stream.allAfter(() => stream.text(text), hasAnswer)
  }
  return heard as Record<Step, Events>
}

function hasAnswer(events: Events): boolean {
  return events.some(({ type }) => type === 'config_ack' || type === 'error')
}

function hasDelta(events: Events): boolean {
  return events.some(({ type }) => type === 'delta')
}

/** As fast as the service takes it, with an empty frame among the others. */
function speak(stream: RecordedStream, clip: Buffer): void {
  stream.audio(Buffer.alloc(0))
  for (let from = 0; from < clip.length; from += FRAME_BYTES)
    stream.audio(clip.subarray(from, from + FRAME_BYTES))
}
