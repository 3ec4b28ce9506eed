// Our own protocol at its address (spec 4.4): two subprotocols, the second of which is the one-use credential of a session. A well-formed
// credential always becomes a WebSocket, even when it is bad, because a browser cannot read the status of a refusal.

import type { IncomingMessage } from 'node:http'
import { MAX_FRAME_BYTES } from '@sauti/protocol/audio'
import { closeCode, endsStream, ServiceError } from '@sauti/protocol/errors'
import { STREAM_PATH, STREAM_PROTOCOL } from '@sauti/protocol/stream'
import type { Queryable } from '../../../db/port.ts'
import type { NodeSeat } from '../../../nodes/membership.ts'
import {
  type CredentialClaims,
  type CredentialKeys,
  isWellFormedCredential,
  readCredential,
} from '../../../sessions/credential.ts'
import { type OpenSession, redeemSession } from '../../../sessions/redeem.ts'
import type { Admission, Wire } from '../../dialect.ts'
import { offeredSubprotocols } from '../../upgrade.ts'
import { FailureLimit } from '../failure-limit.ts'
import { sautiDialect } from './dialect.ts'

const BAD_CREDENTIAL_CLOSE = 4401

export interface SautiWireParts {
  readonly db: Queryable
  readonly credentialKeys: CredentialKeys
  readonly node: NodeSeat
  readonly clock: () => Date
  readonly monotonicMs: () => number
}

export function createSautiWire(parts: SautiWireParts): Wire {
  const failures = new FailureLimit(parts.monotonicMs)
  return {
    path: STREAM_PATH,
    maxMessageBytes: MAX_FRAME_BYTES,
    admit(request, client) {
      const claims = readClaims(request, client, parts.credentialKeys, failures)
      return admission(() => redeem(parts, claims, client, failures))
    },
  }
}

function admission(open: () => Promise<OpenSession>): Admission {
  return { subprotocol: STREAM_PROTOCOL, dialect: sautiDialect, credit: { open } }
}

/**
 * The claims of a credential that is ours; undefined when it is well-formed and forged. The signature is verified first: a good credential
 * passes however many bad ones came from the same address, which can be that of a whole network. A credential that was already refused
 * again and again is counted by itself.
 */
function readClaims(
  request: IncomingMessage,
  client: string,
  credentialKeys: CredentialKeys,
  failures: FailureLimit,
): CredentialClaims | undefined {
  const credential = offeredCredential(request)
  const claims = credential === undefined ? undefined : readCredential(credentialKeys, credential)
  failures.check(claims?.sessionId ?? client)
  if (credential !== undefined) return claims
  failures.note(client)
  throw new ServiceError('invalid_credential', {
    message: `Offer exactly two subprotocols: ${STREAM_PROTOCOL} and the session credential, in this order.`,
  })
}

function offeredCredential(request: IncomingMessage): string | undefined {
  const offered = offeredSubprotocols(request)
  const [protocol, credential = ''] = offered
  const isPair = offered.length === 2 && protocol === STREAM_PROTOCOL && isWellFormedCredential(credential)
  return isPair ? credential : undefined
}

async function redeem(
  { db, node, clock }: SautiWireParts,
  claims: CredentialClaims | undefined,
  client: string,
  failures: FailureLimit,
): Promise<OpenSession> {
  const now = clock()
  try {
    if (!claims) throw new ServiceError('invalid_credential')
    if (claims.expiresAt <= now) throw new ServiceError('expired_credential')
    await node.confirm()
    return await redeemSession(db, { sessionId: claims.sessionId, nodeId: node.id, now })
  } catch (error) {
    if (isBadCredential(error)) failures.note(claims?.sessionId ?? client)
    throw error
  }
}

function isBadCredential(error: unknown): boolean {
  return (
    error instanceof ServiceError && endsStream(error.code) && closeCode(error.code) === BAD_CREDENTIAL_CLOSE
  )
}
