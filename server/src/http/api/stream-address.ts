// The stream's address, requested without a WebSocket upgrade. Upgrades never come here: the stream handles them.

import { ServiceError } from '@sauti/protocol/errors'
import { STREAM_PATH } from '@sauti/protocol/stream'
import type { FastifyInstance } from 'fastify'

export function serveStreamAddress(app: FastifyInstance): void {
  app.get(STREAM_PATH, () => {
    throw new ServiceError('invalid_credential', {
      message: 'Open this address as a WebSocket and offer both values of websocket_protocols.',
    })
  })
}
