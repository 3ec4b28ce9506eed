// Deepgram's live protocol on one connection. Raw audio may come at once; KeepAlive, Finalize and CloseStream are all that a client says.

import { createHash, type Hash } from 'node:crypto'
import { BYTES_PER_SAMPLE, samplesToMs } from '@sauti/protocol/audio'
import { type CloseErrorCode, type OrderErrorCode, ServiceError } from '@sauti/protocol/errors'
import { type ClientRequest, type FinalEvent, MAX_TEXT_BYTES } from '@sauti/protocol/stream'
import { describeAlternative } from '../../../foreign/deepgram/alternative.ts'
import { IncomingAudio } from '../../audio/incoming-audio.ts'
import { opusPacketSamples } from '../../audio/opus-packet.ts'
import type {
  CloseFrame,
  Dialect,
  FinishedEvent,
  InterimEvent,
  StreamEvent,
  StreamRequest,
} from '../../dialect.ts'
import { deepgramCloseFrame } from './errors.ts'
import type { LiveOptions } from './live-options.ts'
import { failure, metadata, results, type StreamIdentity, speechStarted, utteranceEnd } from './messages.ts'
import { UtteranceEndTimer } from './utterance-end.ts'

/** Less than the audio for which a session waits for credit, even at 8,000 bytes per second. */
export const MAX_MESSAGE_BYTES = 128 * 1024

const LIMIT_TEXTS: Readonly<Partial<Record<CloseErrorCode, string>>> = {
  frame_too_large: `A binary message can contain at most ${MAX_MESSAGE_BYTES} bytes.`,
}

export interface DeepgramDialectParts {
  readonly options: LiveOptions
  readonly clock: () => Date
  readonly monotonicMs: () => number
}

export class DeepgramDialect implements Dialect {
  readonly maxTextBytes = MAX_TEXT_BYTES
  readonly takesEarlyAudio = true
  readonly interimWords: boolean
  readonly greeting = []
  readonly firstRequests: readonly ClientRequest[]
  readonly #options: LiveOptions
  readonly #created: Date
  /** Undefined for Opus: its packets are decoded after the dialect. */
  readonly #audio: IncomingAudio | undefined
  readonly #hash: Hash = createHash('sha256')
  readonly #utteranceEnd: UtteranceEndTimer | undefined
  #requestId = ''
  #receivedSamples = 0
  #speechEndMs = 0
  /** Where the utterance that events speak of began. */
  #utteranceStartMs = 0
  /** Finalize messages whose answer is still to come. */
  #finalizing = 0

  constructor({ options, clock, monotonicMs }: DeepgramDialectParts) {
    this.#options = options
    this.interimWords = options.interimResults
    this.#created = clock()
    if (options.audio.encoding !== 'opus') this.#audio = new IncomingAudio(options.audio)
    const { utteranceEndMs } = options
    if (utteranceEndMs !== undefined) this.#utteranceEnd = new UtteranceEndTimer(utteranceEndMs, monotonicMs)
    this.firstRequests = configOf(options)
  }

  parse(frame: Buffer, isBinary: boolean): readonly StreamRequest[] {
    return isBinary ? this.#parseAudio(frame) : this.#parseText(frame)
  }

  encode(event: StreamEvent): readonly string[] {
    switch (event.type) {
      case 'ready':
        this.#requestId = event.session_id
        return []
      case 'delta':
        return this.#tellInterim(event)
      case 'final':
        return this.#tellFinal(event)
      case 'speech_started':
        return this.#tellSpeechStarted(event.audio_ms)
      case 'speech_ended':
        this.#speechEndMs = event.audio_ms
        return []
      case 'finished':
        return this.#tellFinished(event)
      case 'error':
        return [failure(event.code, LIMIT_TEXTS[event.code as CloseErrorCode] ?? event.message)]
      case 'status':
      case 'config_ack':
      case 'reset_ack':
        return []
    }
  }

  closeFrame(code: CloseErrorCode | OrderErrorCode | undefined): CloseFrame {
    return deepgramCloseFrame(code)
  }

  /** An empty message is the older way to say CloseStream. */
  #parseAudio(frame: Buffer): readonly StreamRequest[] {
    if (frame.length === 0) return [...this.#lastAudio(), { type: 'finish' }]
    this.#hash.update(frame)
    const bytes = this.#audio ? this.#audio.push(frame) : frame
    this.#receivedSamples += this.#audio ? bytes.length / BYTES_PER_SAMPLE : opusPacketSamples(frame)
    return [...audioRequest(bytes), ...this.#dueUtteranceEnd()]
  }

  #parseText(frame: Buffer): readonly StreamRequest[] {
    switch (readType(frame)) {
      case 'KeepAlive':
        return []
      case 'Finalize':
        this.#finalizing += 1
        return [...this.#lastAudio(), { type: 'flush' }]
      case 'CloseStream':
        return [...this.#lastAudio(), { type: 'finish' }]
      default:
        throw new ServiceError('unknown_message_type', {
          message: 'The message type is unknown. Supported types: KeepAlive, Finalize and CloseStream.',
        })
    }
  }

  #lastAudio(): readonly StreamRequest[] {
    return this.#audio ? audioRequest(this.#audio.flush()) : []
  }

  #dueUtteranceEnd(): readonly StreamRequest[] {
    const over = this.#utteranceEnd?.noteAudio(this.#receivedMs)
    return tellOver(over).map(text => ({ type: 'notice', text }))
  }

  get #receivedMs(): number {
    return samplesToMs(this.#receivedSamples)
  }

  #tellSpeechStarted(audioMs: number): readonly string[] {
    const over = this.#utteranceEnd?.noteSpeech(audioMs)
    return [...tellOver(over), ...(this.#options.vadEvents ? [speechStarted(audioMs)] : [])]
  }

  #tellInterim({ text, words, audio_ms }: InterimEvent): readonly string[] {
    if (!this.#options.interimResults) return []
    const flags = { isFinal: false, speechFinal: false, fromFinalize: false }
    return [results(this.#identity, this.#spanTo(audio_ms), describeAlternative(text, words), flags)]
  }

  #tellFinal({ text, words, audio_ms, cause }: FinalEvent): readonly string[] {
    const fromFinalize = cause !== 'endpoint' && this.#finalizing > 0
    if (fromFinalize) this.#finalizing -= 1
    const span = this.#spanTo(audio_ms)
    this.#utteranceStartMs = audio_ms
    // The end of a stream without further text.
    if (!fromFinalize && span.startMs === span.endMs) return []
    const flags = { isFinal: true, speechFinal: true, fromFinalize }
    const told = results(this.#identity, span, describeAlternative(text, words), flags)
    if (text === '') return [told]
    const lastWordEndMs = words.at(-1)?.end_ms ?? this.#speechEndMs
    return [told, ...tellOver(this.#utteranceEnd?.noteWords(lastWordEndMs, audio_ms))]
  }

  #tellFinished({ session_id, audio_ms }: FinishedEvent): readonly string[] {
    this.#requestId = session_id
    const last = metadata(this.#identity, audio_ms, this.#hash.digest('hex'), this.#created)
    return [...tellOver(this.#utteranceEnd?.noteEnd(audio_ms)), last]
  }

  #spanTo(endMs: number): { startMs: number; endMs: number } {
    return { startMs: this.#utteranceStartMs, endMs }
  }

  get #identity(): StreamIdentity {
    const { model, warnings } = this.#options
    return { requestId: this.#requestId, model, warnings }
  }
}

/** Phrases, endpointing and Opus come in one request; a request without any would select the defaults. */
function configOf({ phrases, silenceMs, audio }: LiveOptions): readonly ClientRequest[] {
  const endpointing = silenceMs === undefined ? (false as const) : { silence_ms: silenceMs }
  return [
    {
      type: 'config',
      endpointing,
      ...(phrases.length > 0 ? { phrases } : {}),
      ...(audio.encoding === 'opus'
        ? { audio: { encoding: audio.encoding, sample_rate_hz: audio.sampleRateHz } }
        : {}),
    },
  ]
}

function tellOver(lastWordEndMs: number | undefined): readonly string[] {
  return lastWordEndMs === undefined ? [] : [utteranceEnd(lastWordEndMs)]
}

function audioRequest(bytes: Uint8Array): readonly StreamRequest[] {
  return bytes.length > 0 ? [{ type: 'audio', bytes }] : []
}

function readType(frame: Buffer): unknown {
  let message: unknown
  try {
    message = JSON.parse(frame.toString())
  } catch (cause) {
    throw new ServiceError('invalid_json', { cause })
  }
  return typeof message === 'object' && message !== null ? (message as { type?: unknown }).type : undefined
}
