// Step 3 begins here: the checks of an upgrade request that hold for every wire, in order. Each that fails is refused over HTTP. Each
// wire checks for itself what else it asks of its clients.

import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@sauti/protocol/errors'
import type { Wire } from './dialect.ts'

export interface UpgradeGuards {
  readonly wires: readonly Wire[]
  readonly isDraining: () => boolean
  /** Too many handshakes are under way. */
  readonly isCrowded: () => boolean
}

const WEBSOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/

/** The wire at the address of the request. Throws what HTTP should answer. */
export function findWire({ url = '' }: IncomingMessage, wires: readonly Wire[]): Wire {
  const [path] = url.split('?', 1)
  const wire = wires.find(one => one.path === path)
  if (!wire) throw new ServiceError('route_not_found')
  return wire
}

/** Throws what HTTP should answer. */
export function checkUpgrade(request: IncomingMessage, { isDraining, isCrowded }: UpgradeGuards): void {
  if (request.method !== 'GET') throw new ServiceError('method_not_allowed')
  if (isDraining()) throw new ServiceError('server_draining')
  if (isCrowded()) throw new ServiceError('capacity_exceeded')
  checkHandshake(request)
}

function checkHandshake({ headers }: IncomingMessage): void {
  const isWebSocket =
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    WEBSOCKET_KEY.test(headers['sec-websocket-key'] ?? '')
  if (isWebSocket) return
  throw new ServiceError('invalid_parameter', {
    message: 'This address takes WebSocket handshakes of version 13.',
  })
}

/** What the client offers, in its order. Repeated headers arrive joined with a comma, as the standard allows. */
export function offeredSubprotocols({ headers }: IncomingMessage): readonly string[] {
  return headers['sec-websocket-protocol']?.split(',').map(value => value.trim()) ?? []
}
