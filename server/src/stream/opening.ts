// From an accepted handshake to `ready`: the credential opens its session, the session gets a warm slot of the recogniser.

import { chunkSamples, MAX_FRAME_BYTES, SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { findModel, type ModelDescription } from '@sauti/protocol/models'
import type { ReadyEvent } from '@sauti/protocol/stream'
import type { Recogniser, RecogniserStream } from '../recogniser/port.ts'
import type { OpenSession } from '../sessions/redeem.ts'
import type { Signal } from './link.ts'
import { DEFAULT_SETTINGS } from './stream-config.ts'

export interface Opening {
  /** Opens the session of the credential, once; throws what the client must be told. */
  readonly redeem: () => Promise<OpenSession>
  readonly recogniser: Recogniser
  /** The session is open from here on and must be settled. */
  readonly onSession: (session: OpenSession) => void
  readonly put: (signal: Signal) => void
  /** Aborted when the connection is over: gives the slot back, or takes none. */
  readonly over: AbortSignal
}

/** Resolves when the session is known or refused; a slot follows on its own. Never rejects: what happens is put as a signal. */
export async function open({ redeem, recogniser, onSession, put, over }: Opening): Promise<void> {
  try {
    const session = await redeem()
    onSession(session)
    if (!over.aborted) void takeSlot(recogniser, session, put, over)
  } catch (error) {
    put({ type: 'failed', error })
  }
}

async function takeSlot(
  recogniser: Recogniser,
  session: OpenSession,
  put: (signal: Signal) => void,
  over: AbortSignal,
): Promise<void> {
  try {
    const stream = await recogniser.open(session.model, DEFAULT_SETTINGS, over)
    closeWhenOver(stream, over)
    put({ type: 'opened', recogniser: stream })
    for await (const event of stream.events) put({ type: 'recogniser', event })
  } catch (error) {
    put({ type: 'failed', error })
  }
}

function closeWhenOver(stream: RecogniserStream, over: AbortSignal): void {
  if (over.aborted) stream.close()
  else over.addEventListener('abort', () => stream.close(), { once: true })
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
