// Telling "the database is unavailable" from "the statement is wrong": the first is worth a retry, the second is our fault.

// SQLSTATE classes and codes: connection exceptions, too many connections, shutdown, start-up, a standby that was promoted away.
const OUTAGE_STATES = /^(08...|53300|57P0[123]|25006)$/
const OUTAGE_ERRNOS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
// The driver throws these without a code.
const OUTAGE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/

export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined) return OUTAGE_ERRNOS.has(code) || OUTAGE_STATES.test(code)
  if (error instanceof AggregateError) return error.errors.some(isDatabaseOutage)
  return OUTAGE_MESSAGES.test(error.message)
}
