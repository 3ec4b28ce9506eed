// Errors of streams: first those that close one, then warnings.

import { type ErrorEntry, unauthenticated } from './entry.ts'

export const STREAM_ERRORS = {
  frame_too_large: { close: 1009, message: 'A binary frame can contain at most 65,536 bytes.' },
  message_too_large: { close: 1009, message: 'A text message can contain at most 16 KiB.' },
  protocol_error: { close: 1002, message: 'A frame violates the WebSocket protocol.' },
  invalid_utf8: { close: 1007, message: 'A text message is not valid UTF-8.' },
  server_restarting: { close: 1012, message: 'The server is restarting.' },
  too_many_invalid_messages: { close: 4400, message: 'Too many invalid messages.' },
  invalid_credential: { http: unauthenticated, close: 4401, message: 'The session credential is not valid.' },
  expired_credential: { close: 4401, message: 'The session credential has expired.' },
  credential_already_used: { close: 4401, message: 'The session credential was already used.' },
  audio_limit_reached: { close: 4402, message: 'The reserved audio time is used up.' },
  key_revoked: { close: 4403, message: 'The API key of this session was revoked or has expired.' },
  idle_timeout: { close: 4408, message: 'No data was received for too long.' },
  session_timeout: { close: 4408, message: 'The session was open for too long.' },
  slow_consumer: { close: 4408, message: 'The client reads events too slowly.' },

  audio_before_ready: {
    warning: true,
    message: 'Audio was sent before the ready event. It was ignored and is not billed.',
  },
  unknown_message_type: { warning: true, message: 'The message type is unknown.' },
  invalid_message: { warning: true, message: 'The message is not valid.' },
  language_mismatch: {
    warning: true,
    message: 'The language does not match the model of this session.',
  },
  config_not_allowed: {
    warning: true,
    message: 'Settings cannot be changed during an utterance. Flush or reset first.',
  },
} as const satisfies Record<string, ErrorEntry>
