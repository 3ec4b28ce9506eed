// The states of a session (spec 3) and what each way of ending means for its status and its bill. Pure tables; the SQL
// that changes a session's state takes its names from here.

import { billableMs, samplesToMs } from '@sauti/protocol/audio'

/** From `reserved` a session becomes `active` or `expired`, from `active` it becomes `completed` or `failed`; those three are final. */
type EndingEntry = (
  | { readonly from: 'reserved'; readonly to: 'expired' }
  | { readonly from: 'active'; readonly to: 'completed' | 'failed' }
) & {
  /** Whether accepted audio is billed. */
  readonly billed: boolean
}

const served = { from: 'active', to: 'completed', billed: true } as const
const clientFault = { from: 'active', to: 'failed', billed: true } as const
const refused = { from: 'active', to: 'failed', billed: false } as const
const unused = { from: 'reserved', to: 'expired', billed: false } as const
const serviceFault = { from: 'active', to: 'failed', billed: false } as const

/** How a session can end. Where the stream closes with a code of the error table, the ending has the same name. */
export const ENDINGS = {
  client_closed: served,
  client_vanished: served,
  audio_limit_reached: served,
  idle_timeout: served,
  session_timeout: served,
  slow_consumer: served,
  account_inactive: served,
  key_revoked: served,
  frame_too_large: clientFault,
  message_too_large: clientFault,
  too_many_invalid_messages: clientFault,
  invalid_utf8: clientFault,
  protocol_error: clientFault,
  file_transcribed: served,
  file_refused: refused,
  engine_unavailable: serviceFault,
  internal_error: serviceFault,
  server_restarting: serviceFault,
  node_died: serviceFault,
  never_opened: unused,
  cancelled: unused,
} as const satisfies Record<string, EndingEntry>

export type Ending = keyof typeof ENDINGS
/** The endings of a session that was opened. */
export type StreamEnding = Exclude<Ending, 'never_opened' | 'cancelled'>

export interface Settlement {
  readonly audioMs: number
  readonly billableMs: number
}

/** What accepted audio costs under this ending: whole seconds, rounded up, or nothing when the fault is ours. */
export function assessAudio(ending: Ending, acceptedSamples: number): Settlement {
  return {
    audioMs: samplesToMs(acceptedSamples),
    billableMs: ENDINGS[ending].billed ? billableMs(acceptedSamples) : 0,
  }
}
