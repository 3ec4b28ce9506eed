// What went wrong, in words and as an exit code for the caller of `sauti`.

import { isPassing, SautiApiError, SautiError } from '@sauti/client'
import { InputError } from '../audio/input-error.ts'
import { EXIT, Failure } from '../command.ts'

const HINTS: Record<string, string> = {
  missing_api_key: 'Set SAUTI_API_KEY or run sauti login.',
  invalid_api_key: 'Check SAUTI_API_KEY or run sauti login.',
  insufficient_credits: 'Ask for more credit; sauti usage shows what was used.',
  concurrency_limit_exceeded: 'Another session of the account is open.',
  connection_failed: 'Check --url or SAUTI_URL, start the service with sauti serve, or run sauti doctor.',
  certificate_untrusted: 'With this command: --ca FILE. Run sauti doctor for details.',
}

export function explainFailure(error: unknown, about?: string): Failure {
  const subject = about === undefined ? '' : `${about}: `
  if (error instanceof InputError) {
    return new Failure(`${subject}${error.message}`, { cause: error, exitCode: EXIT.badInput })
  }
  if (!(error instanceof SautiError)) throw error
  const words = [messageOf(error), HINTS[error.code], requestId(error)].filter(Boolean).join(' ')
  return new Failure(`${subject}${words}`, { cause: error, exitCode: exitCodeOf(error) })
}

/** The client tells programmers how to pass a key; whoever calls the command has no use for that. */
function messageOf(error: SautiError): string {
  const isOurs = error.code === 'missing_api_key' && !(error instanceof SautiApiError)
  return isOurs ? 'No API key is set.' : error.message
}

function exitCodeOf(error: SautiError): number {
  if (error.code === 'insufficient_credits') return EXIT.noCredit
  if (isPassing(error) || error.code === 'certificate_untrusted') return EXIT.unavailable
  const refusals = ['missing_api_key', 'key_revoked', 'account_inactive']
  const isRefused = error instanceof SautiApiError && (error.status === 401 || error.status === 403)
  return isRefused || refusals.includes(error.code) ? EXIT.refused : EXIT.failed
}

function requestId(error: SautiError): string | undefined {
  return error instanceof SautiApiError && error.requestId ? `(request ${error.requestId})` : undefined
}
