// One HTTP call: sends it, repeats it while the service asks to wait (429, 503), and turns refusals into typed errors.

import type { ErrorBody } from '@sauti/protocol/http'
import { CERTIFICATE_HINT, isUntrusted } from '../certificate.ts'
import { SautiApiError, SautiError } from '../errors.ts'
import { waitMs } from '../wait.ts'

export interface FetchInit {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string | FormData
  readonly signal: AbortSignal
}
/** The part of `fetch` that is used, so that it can be replaced. */
export type FetchLike = (url: string, init: FetchInit) => Promise<Response>

export interface RetryPolicy {
  /** How often a call is repeated after 429, 503 or no answer at all. */
  readonly maxRetries: number
  /** How long one attempt may take. */
  readonly timeoutMs: number
  /** Called before each wait: what was refused, and how long the wait will be. Without it, long waits are reported on the console. */
  readonly onRetry: ((error: SautiError, delayMs: number) => void) | undefined
  /** A number from 0 to 1; spreads the retries of many clients. */
  readonly random: () => number
  readonly signal?: AbortSignal
}

export interface RequestOptions {
  readonly fetch: FetchLike | undefined
  readonly url: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Record<string, string>
  readonly body?: string | FormData
  /** The form of a successful answer; JSON by default. */
  readonly expects?: 'json' | 'text'
}

const DEFAULTS: RetryPolicy = {
  maxRetries: 5,
  timeoutMs: 30_000,
  onRetry: tellRetry,
  random: Math.random,
}
/** A longer wait than this is explained. */
const LONG_WAIT_MS = 1_000
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 30_000
/** A wait is stretched by up to this part of itself; never shortened, since Retry-After is a lower bound. */
const JITTER = 0.25

function tellRetry(error: SautiError, delayMs: number): void {
  if (delayMs < LONG_WAIT_MS) return
  const seconds = Math.ceil(delayMs / 1000)
  // biome-ignore lint/suspicious/noConsole: nobody listens otherwise, and a silent minute looks like a fault.
  console.warn(`sauti: waiting ${seconds} s: ${error.message} (${error.code})`)
}

export async function requestJson<T>(request: RequestOptions, overrides: Partial<RetryPolicy>): Promise<T> {
  const policy = { ...DEFAULTS, ...overrides }
  for (let retries = 0; ; retries++) {
    try {
      return await attempt<T>(request, policy)
    } catch (error) {
      if (!(error instanceof SautiError) || !mayRetry(error) || retries >= policy.maxRetries) throw error
      const delayMs = retryDelayMs(error, retries, policy.random())
      policy.onRetry?.(error, delayMs)
      await waitMs(delayMs, policy.signal)
    }
  }
}

async function attempt<T>(request: RequestOptions, policy: RetryPolicy): Promise<T> {
  const response = await send(request, policy)
  const requestId = response.headers.get('x-request-id') ?? ''
  const text = await response.text().catch(cause => {
    throw unreachable(request.url, cause)
  })
  const body = request.expects === 'text' && response.ok ? text : parseJson(text)
  if (response.ok && body !== undefined) return body as T
  throw new SautiApiError({
    status: response.status,
    type: 'api_error',
    code: 'unexpected_answer',
    message: `The service answered ${response.status} with something that is not an answer of Sauti.`,
    requestId,
    ...errorOf(body),
    retryAfterSeconds: retryAfterSeconds(response),
  })
}

async function send(
  { fetch, url, method, headers = {}, body }: RequestOptions,
  policy: RetryPolicy,
): Promise<Response> {
  policy.signal?.throwIfAborted()
  const timeout = AbortSignal.timeout(policy.timeoutMs)
  const signal = policy.signal ? AbortSignal.any([policy.signal, timeout]) : timeout
  const call: FetchLike = fetch ?? ((address, init) => globalThis.fetch(address, init))
  try {
    return await call(url, { method, headers, signal, ...(body === undefined ? {} : { body }) })
  } catch (cause) {
    policy.signal?.throwIfAborted()
    throw unreachable(url, cause)
  }
}

function unreachable(url: string, cause: unknown): SautiError {
  if (isUntrusted(cause)) {
    const message = `The certificate of ${new URL(url).host} is not trusted${reasonOf(cause)}. ${CERTIFICATE_HINT}`
    return new SautiError('certificate_untrusted', message, cause)
  }
  return new SautiError('connection_failed', `No answer from ${new URL(url).host}${reasonOf(cause)}.`, cause)
}

/** Node hides the real reason of "fetch failed" in its cause. */
function reasonOf(cause: unknown): string {
  const { message, cause: inner } = cause as { message?: string; cause?: { message?: string } }
  const reason = inner?.message || message
  return reason ? `: ${reason}` : ''
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorOf(body: unknown): { type?: string; code?: string; message?: string; requestId?: string } {
  const { error } = (body ?? {}) as Partial<ErrorBody>
  if (typeof error?.code !== 'string') return {}
  return { type: error.type, code: error.code, message: error.message, requestId: error.request_id }
}

function retryAfterSeconds(response: Response): number | undefined {
  const header = response.headers.get('retry-after')
  const seconds = Number(header)
  return header === null || !Number.isFinite(seconds) ? undefined : Math.max(0, seconds)
}

function mayRetry(error: SautiError): boolean {
  if (error instanceof SautiApiError) return error.status === 429 || error.status === 503
  return error.code === 'connection_failed'
}

/** Retry-After is obeyed; without it, or when the service asks for no wait at all, the wait doubles each time. */
export function retryDelayMs(error: SautiError, retries: number, random: number): number {
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** retries, LONGEST_BACKOFF_MS)
  const askedMs = error instanceof SautiApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
  return Math.round(Math.max(askedMs, backoffMs) * (1 + JITTER * random))
}
