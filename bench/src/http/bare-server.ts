// The baseline: Fastify with its defaults, one route, the bytes of GET /v1/models as a constant, and the same certificate.

import { readConfig } from '@sauti/server/settings/config.js'
import { loadTls } from '@sauti/server/tls/tls.js'
import { fastify } from 'fastify'
import { announce } from './announce.ts'
import { MODELS_ANSWER } from './models-answer.ts'

const tls = (await loadTls(readConfig(), new Date()))!
const app = fastify({ https: { cert: tls.cert, key: tls.key } })
app.get('/bare', (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(MODELS_ANSWER)
})
await app.listen({ host: '127.0.0.1', port: 0 })
announce(app.server, tls, [], { stop: async () => app.close() })
