// GET /v1/models (spec 4.1): public, and the same for everyone.

import { CHANNELS, ENCODING, MAX_AUDIO_SECONDS, SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import type { ModelList } from '@sauti/protocol/http'
import { MODELS } from '@sauti/protocol/models'
import type { FastifyInstance } from 'fastify'
import type { HttpParts } from '../parts.ts'
import { RouteRate } from '../rate-limit.ts'

export function serveModels(app: FastifyInstance, { clock, clientOf, settings }: HttpParts): void {
  const rate = new RouteRate('models', settings.modelListsPerMinute)
  app.get('/v1/models', (request, reply) => {
    rate.require(clientOf(request.raw), clock(), reply)
    return reply.type('application/json; charset=utf-8').send(MODEL_LIST)
  })
}

const MODEL_LIST = JSON.stringify(listModels())

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
