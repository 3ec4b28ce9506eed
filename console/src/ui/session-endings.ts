// Why a session ended, in the reader's language, and what a developer can do about it. A test compares the list with the service's.

import { findText, t } from '../texts/texts.ts'

interface EndingWords {
  readonly what: string
  readonly next?: string
}

type Advice = Extract<Parameters<typeof t>[0], `ending_advice.${string}`>

/** Several endings have the same remedy; some need none. */
export const ENDING_ADVICE = {
  client_closed: undefined,
  client_vanished: 'ending_advice.continue',
  audio_limit_reached: 'ending_advice.reserve_more',
  idle_timeout: 'ending_advice.send_or_close',
  session_timeout: 'ending_advice.longest_stream',
  slow_consumer: 'ending_advice.read_faster',
  account_inactive: 'ending_advice.ask_operator',
  key_revoked: 'ending_advice.create_key',
  frame_too_large: 'ending_advice.see_reference',
  message_too_large: 'ending_advice.see_reference',
  too_many_invalid_messages: 'ending_advice.see_reference',
  invalid_utf8: 'ending_advice.see_reference',
  protocol_error: 'ending_advice.see_reference',
  file_transcribed: undefined,
  file_refused: 'ending_advice.see_response',
  engine_unavailable: 'ending_advice.our_fault',
  internal_error: 'ending_advice.our_fault',
  server_restarting: 'ending_advice.our_fault',
  node_died: 'ending_advice.our_fault',
  never_opened: 'ending_advice.open_sooner',
  cancelled: 'ending_advice.credit_returned',
} as const satisfies Record<string, Advice | undefined>

/** A session that is still open has no ending; then its status is explained. */
export function explainEnding(status: string, ending: string | null): EndingWords {
  const code = ending ?? status
  const advice = (ENDING_ADVICE as Readonly<Record<string, Advice | undefined>>)[code]
  const what = findText(`ending.${code}`) ?? code.replaceAll('_', ' ')
  return advice === undefined ? { what } : { what, next: t(advice) }
}
