// From an accepted handshake to `ready`: the session that pays is opened and gets a warm slot of the recogniser. What the client asks for
// meanwhile is kept.

import {
  BYTES_PER_SAMPLE,
  chunkSamples,
  MAX_FRAME_BYTES,
  SAMPLE_RATE_HZ,
  SAMPLES_PER_MS,
} from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import { findModel, type ModelDescription } from '@sauti/protocol/models'
import type { ReadyEvent } from '@sauti/protocol/stream'
import type { Recogniser } from '../../recogniser/port.ts'
import type { OpenSession } from '../../sessions/redeem.ts'
import type { Credit, Dialect, Reply } from '../dialect.ts'
import { MAX_EARLY_MESSAGES } from '../settings.ts'
import type { Signal } from '../socket/link.ts'
import type { Stage, StageRequest } from './stage.ts'
import { DEFAULT_SETTINGS } from './stream-config.ts'

export interface OpeningParts {
  readonly credit: Credit
  readonly dialect: Dialect
  readonly recogniser: Recogniser
  /** How much audio is kept until ready; a client that sends more is read again after ready. */
  readonly maxEarlyAudioMs: number
  /** The session is open from here on and must be settled. */
  readonly onSession: (session: OpenSession) => void
  readonly put: (signal: Signal) => void
  readonly send: (reply: Reply) => void
}

export class Opening implements Stage {
  readonly isBusy = true
  readonly queuedSamples = 0
  readonly #parts: OpeningParts
  readonly #early: StageRequest[]
  readonly #maxEarly: number
  #earlyAudioBytes = 0
  readonly #over = new AbortController()

  constructor(parts: OpeningParts) {
    this.#parts = parts
    this.#early = [...parts.dialect.firstRequests]
    this.#maxEarly = this.#early.length + MAX_EARLY_MESSAGES
  }

  /** Resolves when the session is known or refused; a slot follows on its own. Never rejects: what happens is put as a signal. */
  async start(): Promise<void> {
    const { credit, onSession, put } = this.#parts
    try {
      const session = await credit.open()
      onSession(session)
      if (!this.#over.signal.aborted) void this.#takeSlot(session)
    } catch (error) {
      put({ type: 'failed', error })
    }
  }

  /** What needs no recogniser is answered at once, unless something before it still waits for its answer. */
  request(request: StageRequest): undefined {
    if (request.type === 'audio') this.#takeAudio(request.bytes)
    else if (!this.#owesAnswer && request.type === 'invalid') throw request.error
    else if (!this.#owesAnswer && request.type === 'reply') return this.#answer(request)
    this.#early.push(request)
  }

  event(): void {
    throw new Error('an event of a recogniser that was not opened yet')
  }

  get takesMore(): boolean {
    return this.#early.at(-1)?.type !== 'finish'
  }

  voice(): never {
    throw new Error('voice detection of a stream that was not opened yet')
  }

  decoded(): never {
    throw new Error('sound of a stream that was not opened yet')
  }

  perform(): never {
    throw new Error('sound of a stream that was not opened yet')
  }

  /** The client needs to know at once that its audio came too early. */
  refuse(send: () => void): void {
    send()
  }

  finish(): void {
    throw new Error('the end of a stream that was not opened yet')
  }

  close(): void {
    this.#over.abort()
    this.#parts.credit.giveUp?.()
  }

  isFull(): boolean {
    const maxBytes = this.#parts.maxEarlyAudioMs * SAMPLES_PER_MS * BYTES_PER_SAMPLE
    return this.#early.length >= this.#maxEarly || this.#earlyAudioBytes >= maxBytes
  }

  #takeAudio({ length }: Uint8Array): void {
    if (!this.#parts.dialect.takesEarlyAudio) throw new ServiceError('audio_before_ready')
    this.#earlyAudioBytes += length
  }

  #answer(reply: Reply): undefined {
    this.#parts.send(reply)
  }

  /** What the dialect asks for by itself has no answer. */
  get #owesAnswer(): boolean {
    const own = this.#parts.dialect.firstRequests.length
    return this.#early.slice(own).some(({ type }) => type !== 'audio')
  }

  async #takeSlot({ model }: OpenSession): Promise<void> {
    const { dialect, recogniser, put } = this.#parts
    const { signal } = this.#over
    try {
      const settings = { ...DEFAULT_SETTINGS, interimWords: dialect.interimWords }
      const stream = await recogniser.open(model, settings, signal)
      if (signal.aborted) stream.close()
      else put({ type: 'opened', recogniser: stream, early: this.#early })
    } catch (error) {
      put({ type: 'failed', error })
    }
  }
}

export function readyEvent(session: OpenSession): ReadyEvent {
  return {
    type: 'ready',
    chunk_samples: chunkSamples(DEFAULT_SETTINGS.lookAhead),
    session_id: session.sessionId,
    model: session.model,
    language: modelOf(session).languageCode,
    sample_rate_hz: SAMPLE_RATE_HZ,
    max_audio_seconds: session.reservedMs / 1000,
    max_frame_bytes: MAX_FRAME_BYTES,
  }
}

export function modelOf(session: OpenSession): ModelDescription {
  const model = findModel(session.model)
  if (!model) throw new Error(`a session of an unknown model: ${session.model}`)
  return model
}
