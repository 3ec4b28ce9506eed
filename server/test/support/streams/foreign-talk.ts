// What clients of the foreign protocols say, right, nearly right and wrong: one seed gives one conversation, and repeats it.

import type { Dice } from '../fuzzing.ts'
import type { ForeignCall } from './foreign-clients.ts'

export interface Talk extends ForeignCall {
  readonly messages: readonly (Buffer | string)[]
  /** After this the service gives what it owes and closes; a protocol that has none is closed by the client. */
  readonly lastWord?: string
}

const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  '\u0000',
  'x'.repeat(3_000),
  [],
  {},
  [[]],
  '\ud800',
]
const MODELS = ['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1', 'nova-3', 'whisper-1', '', '../x']
const LANGUAGES = ['ki', 'luo', 'en', 'ki-KE', '']
const NUMBERS = ['0', '1', '8000', '16000', '24000', '48000', '200', '700', '5001', '-1', '1e3', 'NaN', '']

const DEEPGRAM_VALUES: Readonly<Record<string, readonly string[]>> = {
  encoding: ['linear16', 'mulaw', 'alaw', 'opus', 'flac', ''],
  sample_rate: NUMBERS,
  channels: ['1', '2', '0', '9', 'x'],
  interim_results: ['true', 'false', 'yes', ''],
  endpointing: [...NUMBERS, 'true', 'false'],
  utterance_end_ms: ['1000', '1', '5000', '99999', 'x'],
  vad_events: ['true', 'false'],
  keyterm: ['Kisumu', 'x'.repeat(300), '%00', '\u0303', ''],
  keywords: ['Kisumu:2', 'a:b:c', ':', '-:1'],
  diarize: ['true', 'false'],
  nonsense: ['1'],
}

export function deepgramTalk(dice: Dice, key: string): Talk {
  const query = new URLSearchParams()
  if (dice.roll(20) > 0) query.set('language', dice.roll(8) > 0 ? 'ki' : dice.pick(LANGUAGES))
  if (dice.roll(4) === 0) query.set('model', dice.pick(MODELS))
  if (dice.roll(10) > 0) query.set('encoding', dice.pick(['linear16', 'mulaw', 'alaw', 'opus']))
  if (dice.roll(10) > 0) query.set('sample_rate', dice.pick(['8000', '16000', '48000']))
  for (let more = dice.roll(4); more > 0; more--) {
    const [name, values] = dice.pick(Object.entries(DEEPGRAM_VALUES))
    query.append(name, dice.pick(values))
  }
  return {
    path: `/v1/listen?${query}`,
    headers: { authorization: `Token ${key}` },
    messages: Array.from({ length: dice.roll(30) }, () => deepgramMessage(dice)),
    lastWord: JSON.stringify({ type: 'CloseStream' }),
  }
}

function deepgramMessage(dice: Dice): Buffer | string {
  switch (dice.roll(16)) {
    case 0:
      return nearlyJson(dice, { type: 'CloseStream' })
    case 1:
      return nearlyJson(dice, { type: dice.pick(['Flush', 'Metadata', 'keepalive']) })
    case 2:
      return nearlyJson(dice, { type: dice.pick(ODD) })
    case 3:
    case 4:
      return nearlyJson(dice, { type: 'Finalize' })
    case 5:
      return nearlyJson(dice, { type: 'KeepAlive' })
    default:
      return dice.bytes(1 + dice.roll(4_000))
  }
}

export function openAiTalk(dice: Dice, key: string): Talk {
  const query = new URLSearchParams({ intent: dice.roll(20) > 0 ? 'transcription' : 'x' })
  const knowsModel = dice.roll(2) === 0
  if (knowsModel) query.set('model', dice.roll(6) > 0 ? 'svc-asr-kikuyu-v1' : dice.pick(MODELS))
  // Without a model in the address the first update names it; a connection that never does so waits for ten seconds.
  const first = knowsModel ? [] : [JSON.stringify({ type: 'session.update', session: namedSession(dice) })]
  return {
    path: `/v1/realtime?${query}`,
    headers: { authorization: `Bearer ${key}` },
    messages: [...first, ...Array.from({ length: dice.roll(30) }, () => openAiMessage(dice))],
  }
}

function openAiMessage(dice: Dice): Buffer | string {
  switch (dice.roll(12)) {
    case 0:
      return nearlyJson(dice, { type: 'session.update', session: oddSession(dice) })
    case 1:
      return nearlyJson(dice, { type: 'transcription_session.update', session: oddSession(dice) })
    case 2:
      return nearlyJson(dice, { type: 'input_audio_buffer.clear', event_id: dice.pick(ODD) })
    case 3:
      return nearlyJson(dice, { type: 'input_audio_buffer.append', audio: dice.pick(ODD) })
    case 4:
      return nearlyJson(dice, { type: dice.pick(['response.create', 'error', ...ODD]) })
    case 5:
      return dice.bytes(dice.roll(40))
    case 6:
    case 7:
      return nearlyJson(dice, { type: 'input_audio_buffer.commit' })
    default:
      return nearlyJson(dice, {
        type: 'input_audio_buffer.append',
        audio: dice.bytes(dice.roll(8_000)).toString('base64'),
      })
  }
}

function namedSession(dice: Dice): object {
  return {
    type: 'transcription',
    audio: { input: { transcription: { model: 'whisper-1', language: dice.pick(['ki', 'luo']) } } },
  }
}

function oddSession(dice: Dice): unknown {
  const format = dice.pick<unknown>([
    { type: 'audio/pcm', rate: dice.pick([8_000, 24_000, 7, 'x']) },
    { type: 'audio/pcmu' },
    ...ODD,
  ])
  const turns = dice.pick<unknown>([
    { type: 'server_vad', silence_duration_ms: dice.pick([200, 500, 1, ...ODD]) },
    ...ODD,
  ])
  const words = dice.pick<unknown>([
    { model: dice.pick(MODELS), language: dice.pick(LANGUAGES), prompt: dice.pick(ODD) },
    ...ODD,
  ])
  const input = { format, turn_detection: turns, transcription: words }
  const earlier = { input_audio_format: dice.pick(['pcm16', 'g711_ulaw', ...ODD]), turn_detection: turns }
  return dice.pick<unknown>([
    { type: 'transcription', audio: { input } },
    earlier,
    { audio: dice.pick(ODD) },
    ...ODD,
  ])
}

/** One text in ten is damaged. */
function nearlyJson(dice: Dice, message: object): string {
  const text = JSON.stringify(message)
  if (dice.roll(10) > 0) return text
  const at = dice.roll(text.length)
  return dice.pick([
    text.slice(0, at),
    text.slice(at),
    `${text}${text}`,
    `${text.slice(0, at)}\u0000${text.slice(at)}`,
  ])
}
