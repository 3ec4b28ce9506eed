// Errors of requests to the public interface. Some end or refuse a stream, too.

import { badRequest, type ErrorEntry, forbidden, limited, unauthenticated, unavailable } from './entry.ts'

export const REQUEST_ERRORS = {
  invalid_json: { http: badRequest, warning: true, message: 'The message is not valid JSON.' },
  invalid_body: { http: badRequest, message: 'The request body must be a JSON object.' },
  missing_parameter: { http: badRequest, message: 'A required parameter is missing.' },
  unknown_parameter: { http: badRequest, message: 'The request has an unknown parameter.' },
  invalid_parameter: { http: badRequest, message: 'A parameter has an invalid value.' },
  invalid_idempotency_key: {
    http: badRequest,
    message:
      'Idempotency-Key must be 1 to 128 characters: letters A-Z and a-z, digits, dots, underscores, colons and hyphens.',
  },

  unsupported_audio: {
    http: badRequest,
    message: 'The audio format of the file is not supported. Send WAV, MP3, FLAC, Ogg or WebM.',
  },
  undecodable_audio: {
    http: badRequest,
    warning: true,
    message: 'The audio is damaged or contains no sound.',
  },
  audio_too_long: { http: badRequest, message: 'The file is longer than 2 hours.' },

  missing_api_key: { http: unauthenticated, message: 'Send an API key as "Authorization: Bearer <key>".' },
  invalid_api_key: { http: unauthenticated, message: 'The API key is not valid.' },
  expired_api_key: { http: unauthenticated, message: 'The API key has expired.' },
  revoked_api_key: { http: unauthenticated, message: 'The API key has been revoked.' },

  insufficient_credits: {
    http: { status: 402, type: 'insufficient_credits' },
    orderClose: 4402,
    message: 'The account has less than one second of audio credit available.',
  },

  key_limit_reached: {
    http: { status: 402, type: 'insufficient_credits' },
    orderClose: 4402,
    message: 'The API key has reached its monthly audio limit.',
  },

  account_inactive: { http: forbidden, close: 4403, message: 'The account is not active.' },
  address_not_allowed: {
    http: forbidden,
    message: 'The API key cannot be used from this IP address.',
  },
  model_not_allowed: { http: forbidden, orderClose: 4403, message: 'The API key does not allow this model.' },

  model_not_found: {
    http: { status: 404, type: 'model_not_found' },
    message: 'The requested model does not exist.',
  },
  session_not_found: {
    http: { status: 404, type: 'invalid_request_error' },
    message: 'The account has no session with this ID.',
  },
  route_not_found: {
    http: { status: 404, type: 'invalid_request_error' },
    message: 'Nothing was found at this address.',
  },
  method_not_allowed: {
    http: { status: 405, type: 'invalid_request_error' },
    message: 'This address does not support the HTTP method of the request.',
  },
  idempotency_conflict: {
    http: { status: 409, type: 'idempotency_conflict' },
    message: 'The Idempotency-Key was already used with a different request body.',
  },
  session_already_opened: {
    http: { status: 409, type: 'invalid_request_error' },
    message: 'The session was already opened. It ends when its stream ends.',
  },
  request_too_large: {
    http: { status: 413, type: 'request_too_large' },
    message: 'The request body exceeds 16 KiB.',
  },
  file_too_large: {
    http: { status: 413, type: 'request_too_large' },
    message: 'The file is larger than 512 MiB.',
  },
  unsupported_media_type: {
    http: { status: 415, type: 'unsupported_media_type' },
    message: 'Content-Type must be application/json.',
  },

  concurrency_limit_exceeded: {
    http: limited,
    orderClose: 4429,
    message: 'The account already has an active or reserved ASR session.',
  },
  request_rate_exceeded: {
    http: limited,
    orderClose: 4429,
    message: 'Too many requests. Try again after Retry-After seconds.',
  },

  service_unavailable: {
    http: unavailable,
    orderClose: 1013,
    message: 'The service is temporarily unavailable.',
  },
  engine_unavailable: {
    http: unavailable,
    close: 1013,
    message: 'The recogniser is temporarily unavailable.',
  },
  capacity_exceeded: { http: unavailable, orderClose: 1013, message: 'All recognition capacity is in use.' },
  server_draining: {
    http: unavailable,
    orderClose: 1012,
    message: 'The server is restarting and does not accept new sessions.',
  },
  internal_error: { http: unavailable, close: 1011, message: 'Something went wrong on our side.' },
} as const satisfies Record<string, ErrorEntry>
