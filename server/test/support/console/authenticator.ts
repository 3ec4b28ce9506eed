// A WebAuthn authenticator in software, as far as the service can see one: it makes a P-256 key per passkey and signs challenges.

import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

export interface AuthenticatorOptions {
  readonly origin?: string
  /** The host name that the passkey belongs to. */
  readonly rpId?: string
  /** Whether its owner gave a PIN or a fingerprint. */
  readonly verifiesPerson?: boolean
}

interface Challenge {
  readonly challenge: string
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

export class Authenticator {
  readonly #id = randomBytes(32)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #options: Required<AuthenticatorOptions>
  counter = 0

  constructor(options: AuthenticatorOptions = {}) {
    this.#options = { origin: 'https://sauti.test', rpId: 'sauti.test', verifiesPerson: true, ...options }
  }

  get id(): string {
    return this.#id.toString('base64url')
  }

  /** What navigator.credentials.create() gives, as JSON. */
  create({ challenge }: Challenge) {
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, this.#id.length]),
      this.#id,
      coseKey(this.#keys.publicKey),
    ])
    const authData = Buffer.concat([this.#authenticatorData(HAS_CREDENTIAL), credential])
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes(authData)],
    ])
    return this.#describe({
      clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** What navigator.credentials.get() gives, as JSON. */
  get({ challenge }: Challenge) {
    this.counter += 1
    const authenticatorData = this.#authenticatorData(0)
    const clientData = this.#clientData('webauthn.get', challenge)
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()])
    return this.#describe({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.#keys.privateKey).toString('base64url'),
    })
  }

  #describe<T>(response: T) {
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} }
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#options.origin, crossOrigin: false }))
  }

  #authenticatorData(flags: number): Buffer {
    const { rpId, verifiesPerson } = this.#options
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const all = flags | USER_PRESENT | (verifiesPerson ? USER_VERIFIED : 0)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([all]), counter])
  }
}

/** CBOR of {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}. */
function coseKey(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' })
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes(Buffer.from(x!, 'base64url')),
    Buffer.from([0x22]),
    bytes(Buffer.from(y!, 'base64url')),
  ])
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
}

/** Up to 255 bytes; shorter than 24 does not occur here. */
function bytes(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x58, value.length]), value])
}
