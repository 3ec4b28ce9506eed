// Why a session ended, in words, and what a developer can do about it. A test compares the list with the service's.

export interface EndingWords {
  readonly what: string
  readonly next?: string
}

const OUR_FAULT = 'The fault was the service’s, so nothing was billed. Create a new session.'
const SEE_REFERENCE = 'The streaming reference lists what a client may send.'

export const ENDING_WORDS: Readonly<Record<string, EndingWords>> = {
  client_closed: { what: 'The client closed the stream.' },
  client_vanished: {
    what: 'The connection to the client was lost.',
    next: 'Continue in a new session. The continuous streams of the client libraries do this for you.',
  },
  audio_limit_reached: {
    what: 'The reserved audio was used up.',
    next: 'Reserve more with max_audio_seconds, or use a continuous stream for audio of any length.',
  },
  idle_timeout: {
    what: 'Nothing arrived from the client for 60 seconds.',
    next: 'Send audio, or an empty config message from time to time, and close the stream when the speaker has left.',
  },
  session_timeout: {
    what: 'The stream was open for longer than a session may last.',
    next: 'A stream may stay open for twice its reserved time plus two minutes.',
  },
  slow_consumer: {
    what: 'The client did not read its events fast enough.',
    next: 'Read from the socket all the time, and do slow work elsewhere.',
  },
  account_inactive: { what: 'The account was deactivated.', next: 'Ask the operator of this service.' },
  key_revoked: { what: 'The API key was revoked, or it expired.', next: 'Create a new key.' },
  frame_too_large: { what: 'A frame of audio was too large.', next: SEE_REFERENCE },
  message_too_large: { what: 'A message was too large.', next: SEE_REFERENCE },
  too_many_invalid_messages: { what: 'The client sent too many invalid messages.', next: SEE_REFERENCE },
  invalid_utf8: { what: 'A message was not valid UTF-8.', next: SEE_REFERENCE },
  protocol_error: { what: 'The client broke the WebSocket protocol.', next: SEE_REFERENCE },
  file_transcribed: { what: 'The file was transcribed.' },
  file_refused: {
    what: 'The file was refused.',
    next: 'Nothing was billed. The response to the request says why.',
  },
  engine_unavailable: { what: 'The recogniser was not available.', next: OUR_FAULT },
  internal_error: { what: 'The service failed.', next: OUR_FAULT },
  server_restarting: { what: 'The service was restarted.', next: OUR_FAULT },
  node_died: { what: 'The machine that ran the session stopped.', next: OUR_FAULT },
  never_opened: {
    what: 'No client opened the stream before the credential expired.',
    next: 'The credit was returned. Open the stream within 60 seconds.',
  },
  cancelled: { what: 'It was cancelled before it was opened.', next: 'The credit was returned.' },
}

const OPEN_WORDS: Readonly<Record<string, EndingWords>> = {
  reserved: { what: 'Waiting for a client to open the stream.' },
  active: { what: 'The stream is open.' },
}

export function explainEnding(status: string, ending: string | null): EndingWords {
  if (ending === null) return OPEN_WORDS[status] ?? { what: '' }
  return ENDING_WORDS[ending] ?? { what: ending.replaceAll('_', ' ') }
}
