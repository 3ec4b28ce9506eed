// The one-use credential of a session (spec 2.3): session id and expiry under an HMAC of the server's secret. It is derived
// and never stored, so a replay can return it again, a forged one is refused without a query, and a copy of the database
// opens no session. The statement that redeems it makes sure that it is used once.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { CREDENTIAL_PREFIX } from '@sauti/protocol/stream'

const ID_BYTES = 16
const EXPIRY_BYTES = 6
const PAYLOAD_BYTES = ID_BYTES + EXPIRY_BYTES
// 22 + 32 bytes are exactly 72 characters of base64url: no padding and no spare bits, so one credential has one spelling.
const BODY_PATTERN = /^[A-Za-z0-9_-]{72}$/

export interface CredentialClaims {
  readonly sessionId: string
  readonly expiresAt: Date
}

/** The first issues credentials; all of them can read one. */
export type CredentialKeys = readonly [Buffer, ...Buffer[]]

/** Keys of their own for credentials, so that the server's secrets can serve other purposes too. */
export function deriveCredentialKeys(secrets: readonly [string, string?]): CredentialKeys {
  const [current, previous] = secrets
  return previous === undefined
    ? [deriveCredentialKey(current)]
    : [deriveCredentialKey(current), deriveCredentialKey(previous)]
}

function deriveCredentialKey(secret: string): Buffer {
  return createHmac('sha256', secret).update('sauti session credential v1').digest()
}

/** Base64url is made of token characters only, so the result is a legal subprotocol name. */
export function issueCredential([key]: CredentialKeys, { sessionId, expiresAt }: CredentialClaims): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES)
  payload.write(sessionId.replaceAll('-', ''), 'hex')
  payload.writeUIntBE(expiresAt.getTime(), ID_BYTES, EXPIRY_BYTES)
  return CREDENTIAL_PREFIX + Buffer.concat([payload, sign(key, payload)]).toString('base64url')
}

/** Whether it could be a credential at all; only then does it get an answer that a browser can read. */
export function isWellFormedCredential(credential: string): boolean {
  return (
    credential.startsWith(CREDENTIAL_PREFIX) && BODY_PATTERN.test(credential.slice(CREDENTIAL_PREFIX.length))
  )
}

/** The claims of a credential that this service issued; undefined for anything else. Whether it has expired is not judged. */
export function readCredential(keys: CredentialKeys, credential: string): CredentialClaims | undefined {
  if (!isWellFormedCredential(credential)) return undefined
  const bytes = Buffer.from(credential.slice(CREDENTIAL_PREFIX.length), 'base64url')
  const payload = bytes.subarray(0, PAYLOAD_BYTES)
  const isOurs = keys.some(key => timingSafeEqual(bytes.subarray(PAYLOAD_BYTES), sign(key, payload)))
  if (!isOurs) return undefined
  return {
    sessionId: formatUuid(payload.toString('hex', 0, ID_BYTES)),
    expiresAt: new Date(payload.readUIntBE(ID_BYTES, EXPIRY_BYTES)),
  }
}

function sign(key: Buffer, payload: Buffer): Buffer {
  return createHmac('sha256', key).update(payload).digest()
}

function formatUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
