// Which failures pass by themselves, so that trying again makes sense, and how long to wait before that.

import { SautiApiError, type SautiError } from '../errors.ts'

const PASSING_CODES = new Set([
  'connection_failed',
  'ready_timeout',
  'network_lost',
  'server_restarting',
  'engine_unavailable',
  'internal_error',
  'idle_timeout',
  'session_timeout',
  'slow_consumer',
  'expired_credential',
  'credential_already_used',
  'incomplete_final',
])
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 8_000

export function isPassing(error: SautiError): boolean {
  if (error instanceof SautiApiError) return error.status === 429 || error.status === 503
  return PASSING_CODES.has(error.code)
}

/** As long as the service asks for, otherwise twice as long each time. */
export function retryWaitMs(error: SautiError, failures: number): number {
  const askedMs = error instanceof SautiApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
  return Math.max(askedMs, Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS))
}
