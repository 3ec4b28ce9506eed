// The server half: lists models, creates sessions, reads usage. It holds the API key, so it refuses to run in a browser with one.

import type { AsrSession, CreateSessionRequest, CreditBalance, Model, ModelList } from '@sauti/protocol/http'
import { SautiError } from './errors.ts'
import { type FetchLike, type RequestOptions, type RetryPolicy, requestJson } from './request.ts'
import { isClientDevice } from './runtime.ts'

export interface ClientOptions extends Partial<RetryPolicy> {
  /** Where the service is, for instance `https://sauti.example`. */
  readonly baseUrl: string
  /** Needed for sessions and usage. Must stay on a trusted server. */
  readonly apiKey?: string
  /** Replaces the global `fetch`, for instance to trust a private certificate authority. */
  readonly fetch?: FetchLike
}

export interface CallOptions extends Partial<RetryPolicy> {
  readonly signal?: AbortSignal
}

export interface CreateSessionOptions extends CallOptions {
  /** Made by itself when absent; every retry of one call repeats it, so that a retry never reserves twice. */
  readonly idempotencyKey?: string
}

export class SautiClient {
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    if (options.apiKey !== undefined && isClientDevice()) {
      throw new SautiError(
        'api_key_in_browser',
        'An API key must never reach a browser or an app. Create the session on your server and relay its answer.',
      )
    }
    this.#options = options
  }

  async models(options: CallOptions = {}): Promise<Model[]> {
    const list = await this.#request<ModelList>('GET', '/v1/models', options)
    return list.data
  }

  /** Reserves audio time and gives what `openLiveSession` needs. The answer holds a secret: relay it, never log it. */
  async createSession(
    request: CreateSessionRequest,
    options: CreateSessionOptions = {},
  ): Promise<AsrSession> {
    const headers = {
      ...this.#authorization(),
      'Content-Type': 'application/json',
      'Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID(),
    }
    return this.#request('POST', '/v1/asr/sessions', options, { headers, body: JSON.stringify(request) })
  }

  async usage(options: CallOptions = {}): Promise<CreditBalance> {
    return this.#request('GET', '/v1/usage', options, { headers: this.#authorization() })
  }

  #authorization(): Record<string, string> {
    const { apiKey } = this.#options
    if (!apiKey)
      throw new SautiError('missing_api_key', 'This call needs an API key: new SautiClient({ apiKey })')
    return { Authorization: `Bearer ${apiKey}` }
  }

  #request<T>(
    method: RequestOptions['method'],
    path: string,
    call: CallOptions,
    content: Pick<RequestOptions, 'headers' | 'body'> = {},
  ): Promise<T> {
    const url = this.#options.baseUrl.replace(/\/+$/, '') + path
    return requestJson<T>(
      { fetch: this.#options.fetch, url, method, ...content },
      { ...this.#options, ...call },
    )
  }
}
