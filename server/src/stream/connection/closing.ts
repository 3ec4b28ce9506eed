// How a connection ends: why, what the client is told last, and what its session is settled as.

import { ServiceError } from '@sauti/protocol/errors'
import type { StreamEnding } from '../../sessions/lifecycle.ts'
import type { CloseFrame, Dialect, StreamEvent } from '../dialect.ts'
import { asFailure, endingOf, type Failure } from '../failure.ts'
import type { Departure } from '../socket/link.ts'
import type { FinishReason } from './connection-state.ts'
import type { SessionUse } from './session-use.ts'

/** Everything that closes a connection: an error, the client's own departure, or the end that it asked for. */
export type CloseCause = Failure | Departure | Extract<FinishReason, 'client_finished'>

export function closeCauseOf(reason: FinishReason): CloseCause {
  return reason === 'client_finished' ? reason : asFailure(new ServiceError(reason))
}

/** The last event before the close. A client that left or closed by itself gets none. */
export function lastEventOf(cause: CloseCause, { session, meter }: SessionUse): StreamEvent | undefined {
  const session_id = session?.sessionId ?? null
  if (typeof cause !== 'string') {
    return { type: 'error', message: cause.message, code: cause.code, fatal: true, session_id }
  }
  if (cause !== 'client_finished' || !session_id) return undefined
  const { audioMs, billableMs } = meter.read()
  return { type: 'finished', session_id, audio_ms: audioMs, billable_ms: billableMs }
}

/** None where the client closed: it gets its own close back. */
export function closeFrameOf(cause: CloseCause, dialect: Dialect): CloseFrame | undefined {
  if (typeof cause !== 'string') return dialect.closeFrame(cause.code)
  return cause === 'client_finished' ? dialect.closeFrame(undefined) : undefined
}

export function settledAs(cause: CloseCause): StreamEnding {
  if (typeof cause !== 'string') return endingOf(cause)
  return cause === 'client_finished' ? 'client_closed' : cause
}
