// Requests that must be refused, each for one reason. None of them reserves anything at a deployment that keeps the rules.

import type { Answer, Ask } from '../exchange.ts'
import { FREE, type Scene } from '../rule.ts'
import { KIKUYU } from '../world.ts'

export interface Refusal {
  readonly id: string
  readonly section: string
  readonly text: string
  readonly ask: Ask
  readonly withoutKey?: true
  readonly status: number
  readonly type: string
  readonly codes: readonly string[]
}

const MAX_BODY_BYTES = 16 * 1024
const POST = { method: 'POST', path: '/v1/asr/sessions' } as const
const JSON_TYPE = { 'content-type': 'application/json' }
const ORDER = JSON.stringify({ model: KIKUYU })
/** Looks like a key and is not one. */
const NO_KEY_OF_ANYBODY = `svc_live_v1_${'conformance'.repeat(4)}`

function post(body: string, headers: Readonly<Record<string, string>> = JSON_TYPE): Ask {
  return { ...POST, headers, body }
}

function padded(body: string, bytes: number): string {
  return body + ' '.repeat(bytes - body.length)
}

const invalid = { status: 400, type: 'invalid_request_error' }
const unauthenticated = { status: 401, type: 'authentication_error' }

export const REFUSALS: readonly Refusal[] = [
  {
    id: 'auth.sessions.missing-key',
    section: '5',
    text: 'POST /v1/asr/sessions without a key is refused: 401 authentication_error.',
    ask: post(ORDER),
    withoutKey: true,
    ...unauthenticated,
    codes: ['missing_api_key'],
  },
  {
    id: 'auth.usage.missing-key',
    section: '5',
    text: 'GET /v1/usage without a key is refused: 401 authentication_error.',
    ask: { path: '/v1/usage' },
    withoutKey: true,
    ...unauthenticated,
    codes: ['missing_api_key'],
  },
  {
    id: 'auth.sessions.invalid-key',
    section: '5',
    text: 'POST /v1/asr/sessions with an unknown key is refused: 401 authentication_error.',
    ask: post(ORDER, { ...JSON_TYPE, authorization: `Bearer ${NO_KEY_OF_ANYBODY}` }),
    ...unauthenticated,
    codes: ['invalid_api_key'],
  },
  {
    id: 'auth.usage.invalid-key',
    section: '5',
    text: 'GET /v1/usage with an unknown key is refused: 401 authentication_error.',
    ask: { path: '/v1/usage', headers: { authorization: `Bearer ${NO_KEY_OF_ANYBODY}` } },
    ...unauthenticated,
    codes: ['invalid_api_key'],
  },
  {
    id: 'auth.scheme',
    section: '5',
    text: 'Only the scheme Bearer carries a key.',
    ask: { path: '/v1/usage', headers: { authorization: 'Basic c2F1dGk6c2F1dGk=' } },
    ...unauthenticated,
    codes: ['missing_api_key', 'invalid_api_key'],
  },
  {
    id: 'sessions.malformed-json',
    section: '7',
    text: 'A body that is not JSON is refused: 400 invalid_request_error.',
    ask: post('{"model":'),
    ...invalid,
    codes: ['invalid_json'],
  },
  {
    id: 'sessions.body-not-object',
    section: '7',
    text: 'A body that is not an object is refused: 400 invalid_request_error.',
    ask: post(`["${KIKUYU}"]`),
    ...invalid,
    codes: ['invalid_body'],
  },
  {
    id: 'sessions.model-required',
    section: '2.2',
    text: 'model is required.',
    ask: post('{"max_audio_seconds":1}'),
    ...invalid,
    codes: ['missing_parameter'],
  },
  {
    id: 'sessions.unknown-parameter',
    section: '2.2',
    text: 'No other properties are allowed.',
    ask: post(JSON.stringify({ model: KIKUYU, max_audio_seconds: 1, language: 'ki' })),
    ...invalid,
    codes: ['unknown_parameter'],
  },
  ...[0, 301, 1.5, '60', null].map(
    (value): Refusal => ({
      id: `sessions.max-audio-seconds.${JSON.stringify(value).replaceAll('"', '')}${typeof value === 'string' ? '-as-text' : ''}`,
      section: '2.2',
      text: `max_audio_seconds is an integer from 1 to 300, so ${JSON.stringify(value)} is refused.`,
      ask: post(JSON.stringify({ model: KIKUYU, max_audio_seconds: value })),
      ...invalid,
      codes: ['invalid_parameter'],
    }),
  ),
  {
    id: 'sessions.model-type',
    section: 'decisions: HTTP',
    text: 'A model of the wrong JSON type is 400, not 404.',
    ask: post('{"model":7}'),
    ...invalid,
    codes: ['invalid_parameter'],
  },
  {
    id: 'sessions.model-not-found',
    section: '7',
    text: 'A model that does not exist is 404 model_not_found.',
    ask: post('{"model":"svc-asr-none-v1"}'),
    status: 404,
    type: 'model_not_found',
    codes: ['model_not_found'],
  },
  {
    id: 'sessions.media-type',
    section: '7',
    text: 'A Content-Type that is not application/json is 415 unsupported_media_type.',
    ask: post(ORDER, { 'content-type': 'text/plain' }),
    status: 415,
    type: 'unsupported_media_type',
    codes: ['unsupported_media_type'],
  },
  {
    id: 'sessions.media-type-missing',
    section: '4.2',
    text: 'Content-Type is required.',
    ask: post(ORDER, {}),
    status: 415,
    type: 'unsupported_media_type',
    codes: ['unsupported_media_type'],
  },
  {
    id: 'sessions.too-large',
    section: '8',
    text: 'A body of more than 16 KiB is 413 request_too_large.',
    ask: post(padded(ORDER, MAX_BODY_BYTES + 1)),
    status: 413,
    type: 'request_too_large',
    codes: ['request_too_large'],
  },
  {
    id: 'sessions.largest',
    section: '8',
    text: 'A body of exactly 16 KiB is read.',
    ask: post(padded('{"model":"svc-asr-none-v1"}', MAX_BODY_BYTES)),
    status: 404,
    type: 'model_not_found',
    codes: ['model_not_found'],
  },
  {
    id: 'idempotency.too-long',
    section: '8',
    text: 'An Idempotency-Key of 129 characters is refused.',
    ask: post(ORDER, { ...JSON_TYPE, 'idempotency-key': 'k'.repeat(129) }),
    ...invalid,
    codes: ['invalid_idempotency_key'],
  },
  {
    id: 'idempotency.characters',
    section: '4.2',
    text: 'An Idempotency-Key with other characters than A-Z, a-z, 0-9, dot, underscore, colon and hyphen is refused.',
    ask: post(ORDER, { ...JSON_TYPE, 'idempotency-key': 'a key' }),
    ...invalid,
    codes: ['invalid_idempotency_key'],
  },
  {
    id: 'routes.unknown',
    section: 'decisions: HTTP',
    text: 'An unknown path is 404 route_not_found.',
    ask: { path: '/v1/conformance-none' },
    status: 404,
    type: 'invalid_request_error',
    codes: ['route_not_found'],
  },
  {
    id: 'routes.method',
    section: 'decisions: HTTP',
    text: 'Another method of a known path is 405 method_not_allowed.',
    ask: { method: 'PUT', path: '/v1/usage', headers: JSON_TYPE, body: '{}' },
    status: 405,
    type: 'invalid_request_error',
    codes: ['method_not_allowed'],
  },
  {
    id: 'order.key-before-media-type',
    section: 'decisions: HTTP',
    text: 'The key is checked before the media type.',
    ask: post(ORDER, { 'content-type': 'text/plain' }),
    withoutKey: true,
    ...unauthenticated,
    codes: ['missing_api_key'],
  },
  {
    id: 'order.media-type-before-size',
    section: 'decisions: HTTP',
    text: 'The media type is checked before the size.',
    ask: post(padded(ORDER, MAX_BODY_BYTES + 1), { 'content-type': 'text/plain' }),
    status: 415,
    type: 'unsupported_media_type',
    codes: ['unsupported_media_type'],
  },
  {
    id: 'order.size-before-json',
    section: 'decisions: HTTP',
    text: 'The size is checked before the JSON.',
    ask: post(padded('{"model":', MAX_BODY_BYTES + 1)),
    status: 413,
    type: 'request_too_large',
    codes: ['request_too_large'],
  },
  {
    id: 'order.schema-before-model',
    section: 'decisions: HTTP',
    text: 'The parameters are checked before the model is looked for.',
    ask: post('{"model":"svc-asr-none-v1","max_audio_seconds":0}'),
    ...invalid,
    codes: ['invalid_parameter'],
  },
]

export type RefusalAnswers = ReadonlyMap<Refusal, Answer>

export const refusals: Scene<RefusalAnswers> = {
  name: 'refused requests',
  cost: FREE,
  async play(world) {
    const answers = new Map<Refusal, Answer>()
    for (const refusal of REFUSALS) {
      const answer = refusal.withoutKey ? world.askWithoutKey(refusal.ask) : world.ask(refusal.ask)
      answers.set(refusal, await answer)
    }
    return answers
  },
}
