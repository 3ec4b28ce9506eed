// Step 3 begins here: a guard ladder over the upgrade request. Each rung that fails is an HTTP refusal; a request that passes
// them all becomes a WebSocket, even when its credential is bad, because a browser cannot read the status of a refusal.

import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@sauti/protocol/errors'
import { STREAM_PATH, STREAM_PROTOCOL } from '@sauti/protocol/stream'
import { type CredentialClaims, isWellFormedCredential, readCredential } from '../sessions/credential.ts'
import type { FailureLimit } from './failure-limit.ts'

export interface UpgradeGuards {
  readonly credentialKey: Buffer
  readonly failures: FailureLimit
  readonly isDraining: () => boolean
  /** Too many handshakes are under way. */
  readonly isCrowded: () => boolean
}

const WEBSOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/

/** The claims of a credential that is ours; undefined when it is well-formed and forged. Throws what HTTP should answer. */
export function climbLadder(
  request: IncomingMessage,
  address: string,
  { credentialKey, failures, isDraining, isCrowded }: UpgradeGuards,
): CredentialClaims | undefined {
  if (pathOf(request) !== STREAM_PATH) throw new ServiceError('route_not_found')
  if (request.method !== 'GET') throw new ServiceError('method_not_allowed')
  if (isDraining()) throw new ServiceError('server_draining')
  if (isCrowded()) throw new ServiceError('capacity_exceeded')
  failures.check(address)
  checkHandshake(request)
  const credential = offeredCredential(request)
  if (credential === undefined) {
    failures.note(address)
    throw new ServiceError('invalid_credential', {
      message: `Offer exactly two subprotocols: ${STREAM_PROTOCOL} and the session credential, in this order.`,
    })
  }
  return readCredential(credentialKey, credential)
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!
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

/** Exactly two values in order. Repeated headers arrive joined with a comma, as the standard wants it. */
function offeredCredential({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(',').map(value => value.trim()) ?? []
  const [protocol, credential = ''] = offered
  const isPair = offered.length === 2 && protocol === STREAM_PROTOCOL && isWellFormedCredential(credential)
  return isPair ? credential : undefined
}
