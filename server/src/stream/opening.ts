// From an accepted handshake to `ready`: the credential opens its session, the session gets a warm slot of the recogniser. What the
// client asks for meanwhile is kept.

import { chunkSamples, MAX_FRAME_BYTES, SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import { findModel, type ModelDescription } from '@sauti/protocol/models'
import type { ClientRequest, ReadyEvent } from '@sauti/protocol/stream'
import type { Recogniser } from '../recogniser/port.ts'
import type { OpenSession } from '../sessions/redeem.ts'
import type { Signal } from './link.ts'
import { MAX_EARLY_MESSAGES } from './settings.ts'
import type { FinishReason, Stage } from './stage.ts'
import { DEFAULT_SETTINGS } from './stream-config.ts'

export interface OpeningParts {
  /** Opens the session of the credential, once; throws what the client must be told. */
  readonly redeem: () => Promise<OpenSession>
  readonly recogniser: Recogniser
  /** The session is open from here on and must be settled. */
  readonly onSession: (session: OpenSession) => void
  readonly put: (signal: Signal) => void
}

export class Opening implements Stage {
  readonly isBusy = true
  readonly isFinishing = false
  readonly isSpent = false
  readonly queuedSamples = 0
  readonly #parts: OpeningParts
  readonly #early: ClientRequest[] = []
  readonly #over = new AbortController()

  constructor(parts: OpeningParts) {
    this.#parts = parts
  }

  /** Resolves when the session is known or refused; a slot follows on its own. Never rejects: what happens is put as a signal. */
  async start(): Promise<void> {
    const { redeem, onSession, put } = this.#parts
    try {
      const session = await redeem()
      onSession(session)
      if (!this.#over.signal.aborted) void this.#takeSlot(session)
    } catch (error) {
      put({ type: 'failed', error })
    }
  }

  audio(): void {
    throw new ServiceError('audio_before_ready')
  }

  request(request: ClientRequest): void {
    this.#early.push(request)
  }

  event(): void {
    throw new Error('an event of a recogniser that was not opened yet')
  }

  finish(reason: FinishReason): void {
    throw new ServiceError(reason)
  }

  close(): void {
    this.#over.abort()
  }

  isFull(): boolean {
    return this.#early.length >= MAX_EARLY_MESSAGES
  }

  async #takeSlot({ model }: OpenSession): Promise<void> {
    const { recogniser, put } = this.#parts
    const { signal } = this.#over
    try {
      const stream = await recogniser.open(model, DEFAULT_SETTINGS, signal)
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
