// How Deepgram closes a WebSocket: a code with a reason.

import { type CloseErrorCode, closeCode, type OrderErrorCode } from '@sauti/protocol/errors'
import type { CloseFrame } from '../../dialect.ts'

const NORMAL_CLOSE = 1000
const POLICY_CLOSE = 1008
const SERVER_CLOSE = 1011
const FIRST_PRIVATE_CLOSE = 4000

/** Deepgram closes with codes of the standard; the reason is our own word, which says more. */
export function deepgramCloseFrame(code: CloseErrorCode | OrderErrorCode | undefined): CloseFrame {
  if (code === undefined) return { code: NORMAL_CLOSE, reason: '' }
  const ours = closeCode(code)
  // What Deepgram says to a client from which it heard nothing for too long.
  if (code === 'idle_timeout') return { code: SERVER_CLOSE, reason: `NET-0001 ${code}` }
  return { code: ours < FIRST_PRIVATE_CLOSE ? ours : POLICY_CLOSE, reason: code }
}
