// The options of live audio (the WebSocket of Deepgram's listen interface).

import { OPUS_RATES_HZ, SAMPLE_RATES_HZ, type SampleRateHz } from '@sauti/protocol/audio'
import { MAX_SILENCE_MS, MIN_SILENCE_MS } from '@sauti/protocol/stream'
import type { OptionWarning } from '../../../foreign/deepgram/option-table.ts'
import {
  type CommonOptions,
  invalid,
  readBoolean,
  readCommonOptions,
  readInteger,
} from '../../../foreign/deepgram/options.ts'
import { type AudioFormat, MAX_CHANNELS } from '../../audio/incoming-audio.ts'

export interface LiveOptions extends CommonOptions {
  readonly audio: AudioFormat | OpusFormat
  readonly interimResults: boolean
  /** How much silence ends an utterance; undefined where only Finalize does. */
  readonly silenceMs: number | undefined
  readonly utteranceEndMs: number | undefined
  readonly vadEvents: boolean
}

/** One packet per message, mono or stereo. */
export interface OpusFormat {
  readonly encoding: 'opus'
  readonly sampleRateHz: SampleRateHz
}

/** Where a client does not say. Deepgram's own default of 10 ms is shorter than many sounds. */
const DEFAULT_SILENCE_MS = 300
/** Deepgram's own bounds. */
const [MIN_UTTERANCE_END_MS, MAX_UTTERANCE_END_MS] = [1_000, MAX_SILENCE_MS]

export function readLiveOptions(query: URLSearchParams): LiveOptions {
  const common = readCommonOptions(query, 'live')
  const utteranceEndMs = readInteger(query, 'utterance_end_ms', MIN_UTTERANCE_END_MS, MAX_UTTERANCE_END_MS)
  const { silenceMs, warnings } = readEndpointing(query)
  const voice = readVadEvents(query, silenceMs !== undefined)
  if (silenceMs === undefined && utteranceEndMs !== undefined) {
    throw invalid('endpointing', 'must not be false with utterance_end_ms.')
  }
  return {
    ...common,
    audio: readAudioFormat(query),
    interimResults: readBoolean(query, 'interim_results'),
    silenceMs,
    utteranceEndMs,
    vadEvents: voice.vadEvents,
    warnings: [...common.warnings, ...warnings, ...voice.warnings],
  }
}

/** LiveKit's plugin always asks for them, also where it turns endpointing off. */
function readVadEvents(query: URLSearchParams, hasEndpointing: boolean): VadEvents {
  const isAsked = readBoolean(query, 'vad_events')
  if (!isAsked || hasEndpointing) return { vadEvents: isAsked, warnings: [] }
  const message = 'Voices are detected with endpointing only.'
  return { vadEvents: false, warnings: [{ parameter: 'vad_events', type: 'ignored', message }] }
}

interface VadEvents {
  readonly vadEvents: boolean
  readonly warnings: readonly OptionWarning[]
}

interface Endpointing {
  readonly silenceMs: number | undefined
  readonly warnings: readonly OptionWarning[]
}

function readEndpointing(query: URLSearchParams): Endpointing {
  const given = query.get('endpointing')?.toLowerCase()
  if (given === undefined || given === 'true') return { silenceMs: DEFAULT_SILENCE_MS, warnings: [] }
  if (given === 'false') return { silenceMs: undefined, warnings: [] }
  if (!/^\d{1,9}$/.test(given)) throw invalid('endpointing', 'must be false or a number of milliseconds.')
  const asked = Number(given)
  const silenceMs = Math.min(MAX_SILENCE_MS, Math.max(MIN_SILENCE_MS, asked))
  if (silenceMs === asked) return { silenceMs, warnings: [] }
  const message = `The silence that ends an utterance is ${silenceMs} ms.`
  return { silenceMs, warnings: [{ parameter: 'endpointing', type: 'adjusted', message }] }
}

/** A packet itself says which it has; more are several streams, which speech does not use. */
const MAX_OPUS_CHANNELS = 2
const ENCODINGS = { linear16: 'pcm_s16le', mulaw: 'mulaw', alaw: 'alaw', opus: 'opus' } as const

/** Raw audio only: a stream in a container is refused by name, because the options do not say what is in it. */
function readAudioFormat(query: URLSearchParams): AudioFormat | OpusFormat {
  const name = query.get('encoding')
  if (name === null)
    throw invalid('encoding', 'is required: send raw audio, not a container such as WebM or WAV.')
  if (!Object.hasOwn(ENCODINGS, name)) {
    throw invalid('encoding', `must be one of ${Object.keys(ENCODINGS).join(', ')}.`)
  }
  const encoding = ENCODINGS[name as keyof typeof ENCODINGS]
  if (encoding === 'opus') {
    readInteger(query, 'channels', 1, MAX_OPUS_CHANNELS)
    return { encoding, sampleRateHz: readSampleRate(query, 48_000, OPUS_RATES_HZ) }
  }
  const sampleRateHz = readSampleRate(query, encoding === 'pcm_s16le' ? undefined : 8_000, SAMPLE_RATES_HZ)
  return { encoding, sampleRateHz, channels: readInteger(query, 'channels', 1, MAX_CHANNELS) ?? 1 }
}

function readSampleRate(
  query: URLSearchParams,
  otherwise: SampleRateHz | undefined,
  rates: readonly SampleRateHz[],
): SampleRateHz {
  const given = query.get('sample_rate')
  const rate = given === null ? otherwise : rates.find(known => String(known) === given)
  if (rate !== undefined) return rate
  throw invalid('sample_rate', `must be one of ${rates.join(', ')}.`)
}
