// /openapi.json: the HTTP interface as OpenAPI 3.1, made from the schemas that validate and the one table of errors.

import { API_KEY_PREFIX } from '@sauti/protocol/api-key'
import * as schemas from '@sauti/protocol/http'
import { LANGUAGES_IN_WORDS } from '@sauti/protocol/models'
import { STREAM_PATH } from '@sauti/protocol/stream'
import type { FastifyInstance } from 'fastify'
import type { HttpParts } from '../parts.ts'
import { LISTEN_ANSWER, LISTEN_ERROR, listenToFile } from './listen.ts'
import * as operations from './operations.ts'
import { HEADERS } from './responses.ts'
import { componentOf, titleOf } from './schemas.ts'
import { createTranscription } from './transcription.ts'

export function serveOpenApi(app: FastifyInstance, { publicUrl }: HttpParts): void {
  let body: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    body ??= JSON.stringify(describeApi(publicUrl()))
    reply.header('content-type', 'application/json; charset=utf-8').send(body)
  })
}

export type ApiDescription = ReturnType<typeof describeApi>

export function describeApi(publicUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sauti',
      version: schemas.INTERFACE_VERSION,
      description: `Streaming speech recognition for ${LANGUAGES_IN_WORDS}. Create a session here, then stream audio to its WebSocket.`,
    },
    servers: [{ url: publicUrl }],
    paths: {
      '/v1/models': { get: operations.listModels },
      '/v1/asr/sessions': { post: operations.createSession },
      '/v1/asr/sessions/{id}': { delete: operations.cancelSession },
      '/v1/audio/transcriptions': { post: createTranscription },
      '/v1/listen': { post: listenToFile },
      '/v1/usage': { get: operations.readUsage },
      [STREAM_PATH]: { get: operations.openStream },
      '/healthz': { get: operations.readHealth },
      '/readyz': { get: operations.readReadiness },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: `A server-side key that begins with \`${API_KEY_PREFIX}\`. Never put it into client code.`,
        },
      },
      headers: HEADERS,
      schemas: Object.fromEntries(COMPONENTS.map(schema => [titleOf(schema), componentOf(schema)])),
    },
  }
}

const COMPONENTS = [
  schemas.ModelList,
  schemas.Model,
  schemas.CreateSessionRequest,
  schemas.AsrSession,
  schemas.Transcription,
  schemas.VerboseTranscription,
  LISTEN_ANSWER,
  LISTEN_ERROR,
  schemas.CreditBalance,
  schemas.UsageSession,
  schemas.ErrorBody,
]
