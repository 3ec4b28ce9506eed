// GET /v1/models (spec 4.1): public, and the same for everyone.

import { CHANNELS, ENCODING, MAX_AUDIO_SECONDS, SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { ModelList } from '@sauti/protocol/http'
import { MODELS } from '@sauti/protocol/models'
import type { FastifyInstance } from 'fastify'
import { addressGroup } from '../client-address.ts'
import type { RequestObserver } from './metrics.ts'
import type { HttpParts } from './parts.ts'
import { createRateLimiter } from './rate-limit.ts'
import { COMMON_HEADER_LIST, HSTS, isLoopback, writeCommonHeaders } from './response-headers.ts'

const PATH = '/v1/models'

/**
 * The answer is constant, so it goes straight to the socket: through the framework its eight headers alone cost a sixth of the
 * request (`npm run bench -- http`).
 */
export function serveModels(
  app: FastifyInstance,
  { clock, settings }: HttpParts,
  observerOf: (route: string) => RequestObserver,
): void {
  const observe = observerOf(PATH)
  const limiter = createRateLimiter('models', settings.modelListsPerMinute)
  const body = JSON.stringify(listModels())
  const constantHeaders = [
    ...COMMON_HEADER_LIST,
    ...limiter.constantHeaders,
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    `${Buffer.byteLength(body)}`,
  ]
  app.get(PATH, { config: { beginsItself: true } }, (request, reply) => {
    observe(request, reply)
    const rate = limiter.take(addressGroup(request.ip), clock())
    if (!rate.allowed) {
      limiter.writeHeaders(writeCommonHeaders(request, reply), rate)
      throw new ServiceError('request_rate_exceeded', { retryAfterSeconds: rate.nextSeconds })
    }
    const headers = [...constantHeaders, 'x-request-id', request.id, 'ratelimit', limiter.describe(rate)]
    if (!isLoopback(request)) headers.push(...HSTS)
    reply.hijack()
    // All of it is ASCII, so it need not be encoded character by character.
    reply.raw.writeHead(200, headers).end(body, 'latin1')
  })
}

function listModels(): ModelList {
  const data = MODELS.map(({ id, language, languageCode }) => ({
    id,
    object: 'model' as const,
    capability: 'asr.streaming' as const,
    language,
    language_code: languageCode,
    max_audio_seconds: MAX_AUDIO_SECONDS,
    audio: { encoding: ENCODING, sample_rate_hz: SAMPLE_RATE_HZ, channels: CHANNELS },
  }))
  return { object: 'list', data } as ModelList
}
