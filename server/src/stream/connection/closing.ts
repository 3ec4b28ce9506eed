// How a connection ends: why, what the client is told last, what its session is settled as, and in which order.

import { ServiceError } from '@sauti/protocol/errors'
import type { StreamEnding } from '../../sessions/lifecycle.ts'
import type { CloseFrame, Dialect, StreamEvent } from '../dialect.ts'
import { asFailure, endingOf, type Failure } from '../failure.ts'
import { CLOSE_PATIENCE_MS } from '../settings.ts'
import type { Departure, Link } from '../socket/link.ts'
import { endsWithin } from '../time-limit.ts'
import type { FinishReason } from './connection-state.ts'
import type { SessionUse } from './session-use.ts'

/** Everything that closes a connection: an error, the client's own departure, or the end that it asked for. */
export type CloseCause = Failure | Departure | Extract<FinishReason, 'client_finished'>

export function closeCauseOf(reason: FinishReason): CloseCause {
  return reason === 'client_finished' ? reason : asFailure(new ServiceError(reason))
}

export interface Closing {
  /** Resolves when the session is known or refused. */
  readonly opened: Promise<void>
  readonly use: SessionUse
  readonly link: Link
  readonly dialect: Dialect
}

/** A client that has seen the close finds its session settled, and its slot free. Never rejects. */
export async function tellAndSettle(
  cause: CloseCause,
  { opened, use, link, dialect }: Closing,
): Promise<void> {
  if (typeof cause !== 'string') use.noteFailure(cause)
  const lastEvent = lastEventOf(cause, use)
  if (lastEvent) link.sendLast(lastEvent)
  const settled = opened.then(() => use.settle(settledAs(cause)))
  await endsWithin(settled, CLOSE_PATIENCE_MS)
  link.close(closeFrameOf(cause, dialect))
  await opened
}

/** The last event before the close. A client that left or closed by itself gets none. */
function lastEventOf(cause: CloseCause, { session, meter }: SessionUse): StreamEvent | undefined {
  const session_id = session?.sessionId ?? null
  if (typeof cause !== 'string') {
    return { type: 'error', message: cause.message, code: cause.code, fatal: true, session_id }
  }
  if (cause !== 'client_finished' || !session_id) return undefined
  const { audioMs, billableMs } = meter.read()
  return { type: 'finished', session_id, audio_ms: audioMs, billable_ms: billableMs }
}

/** None where the client closed: it gets its own close back. */
function closeFrameOf(cause: CloseCause, dialect: Dialect): CloseFrame | undefined {
  if (typeof cause !== 'string') return dialect.closeFrame(cause.code)
  return cause === 'client_finished' ? dialect.closeFrame(undefined) : undefined
}

function settledAs(cause: CloseCause): StreamEnding {
  if (typeof cause !== 'string') return endingOf(cause)
  return cause === 'client_finished' ? 'client_closed' : cause
}
