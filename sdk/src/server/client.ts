// The server half: lists models, creates and cancels sessions, reads usage. It holds the API key, so it refuses to run in a browser with one.

import type {
  AsrSession,
  CreateSessionRequest,
  CreditBalance,
  Model,
  ModelList,
  Transcription,
  UsageSession,
  VerboseTranscription,
} from '@sauti/protocol/http'
import { SautiError } from '../errors.ts'
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
  /** Generated when absent; every retry of one call repeats it, so that a retry never reserves twice. */
  readonly idempotencyKey?: string
}

/** Plain HTTP would expose the key on the network. */
function isSafeForSecrets(baseUrl: string): boolean {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  return url?.protocol !== 'http:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
}

export type TranscriptionFormat = 'json' | 'verbose_json' | 'text' | 'srt' | 'vtt'

export interface TranscriptionRequest<F extends TranscriptionFormat = 'json'> {
  readonly model: string
  /** In Node: `await openAsBlob(path)` of `node:fs`, which reads it while it is sent. */
  readonly file: Blob
  readonly response_format?: F
  /** With `verbose_json`. */
  readonly timestamp_granularities?: readonly ('word' | 'segment')[]
}

export type TranscriptionAnswer<F extends TranscriptionFormat> = F extends 'json'
  ? Transcription
  : F extends 'verbose_json'
    ? VerboseTranscription
    : string

const TEXT_FORMATS = new Set<TranscriptionFormat>(['text', 'srt', 'vtt'])
/** A file of two hours is uploaded and heard within this time. */
const TRANSCRIPTION_TIMEOUT_MS = 3_600_000

export class SautiClient {
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    if (options.apiKey !== undefined && isClientDevice()) {
      throw new SautiError(
        'api_key_in_browser',
        'An API key must never reach a browser or an app. Create the session on your server and relay its answer.',
      )
    }
    if (options.apiKey !== undefined && !isSafeForSecrets(options.baseUrl)) {
      throw new SautiError('insecure_url', 'An API key is only sent over https, or to this machine.')
    }
    this.#options = options
  }

  async models(options: CallOptions = {}): Promise<Model[]> {
    const list = await this.#request<ModelList>('GET', '/v1/models', options)
    return list.data
  }

  /** Reserves audio time and returns what `openLiveSession` needs. The answer holds a secret: relay it, never log it. */
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

  /** Gives back a session that was not opened: its credit and its slot are free at once. Safe to repeat. */
  async cancelSession(id: string, options: CallOptions = {}): Promise<UsageSession> {
    const path = `/v1/asr/sessions/${encodeURIComponent(id)}`
    return this.#request('DELETE', path, options, { headers: this.#authorization() })
  }

  /** Transcribes one file of any common format, up to 2 hours long. The service decodes it. */
  async transcribe<F extends TranscriptionFormat = 'json'>(
    request: TranscriptionRequest<F>,
    options: CallOptions = {},
  ): Promise<TranscriptionAnswer<F>> {
    const form = new FormData()
    // First, so that the service can hear the file while it arrives.
    form.append('model', request.model)
    if (request.response_format) form.append('response_format', request.response_format)
    for (const one of request.timestamp_granularities ?? []) form.append('timestamp_granularities[]', one)
    form.append('file', request.file, request.file instanceof File ? request.file.name : 'recording')
    const call = { timeoutMs: TRANSCRIPTION_TIMEOUT_MS, ...options }
    const expects = TEXT_FORMATS.has(request.response_format ?? 'json') ? 'text' : 'json'
    const content = { headers: this.#authorization(), body: form, expects } as const
    return this.#request('POST', '/v1/audio/transcriptions', call, content)
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
    content: Pick<RequestOptions, 'headers' | 'body' | 'expects'> = {},
  ): Promise<T> {
    const url = this.#options.baseUrl.replace(/\/+$/, '') + path
    return requestJson<T>(
      { fetch: this.#options.fetch, url, method, ...content },
      { ...this.#options, ...call },
    )
  }
}
