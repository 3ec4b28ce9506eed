// Makes certificates: a local authority for one installation, and server certificates signed by it.

// @peculiar/x509 does not load without it, and loads in the order of the imports.
import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'
import { encodeNameConstraints, NAME_CONSTRAINTS, permitsAll } from './name-constraints.ts'

/** PEM. */
export interface CertificateAndKey {
  readonly cert: string
  readonly key: string
}

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
/** Longer ones are refused by Apple's clients even from an authority that the user trusts. */
const SERVER_DAYS = 820
/** Clocks of other machines may be a little behind. */
const BACKDATED_MS = DAY_MS

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1'

/** An authority that may vouch for these names only. */
export async function issueAuthority(names: readonly string[], now: Date): Promise<CertificateAndKey> {
  const keys = await makeKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // A name of its own for each authority: browsers mix up two that are called the same.
    name: `CN=Sauti local authority ${randomBytes(4).toString('hex')}`,
    serialNumber: newSerialNumber(),
    ...validFor(AUTHORITY_DAYS, now),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.Extension(NAME_CONSTRAINTS, true, encodeNameConstraints(names)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return toPem(certificate, keys)
}

/** One that was made before there were constraints may vouch for everything: its users trust it with that already. */
export function mayVouchFor({ cert }: CertificateAndKey, names: readonly string[]): boolean {
  const constraints = new x509.X509Certificate(cert).getExtension(NAME_CONSTRAINTS)
  return constraints === null || permitsAll(Buffer.from(constraints.value), names)
}

export async function issueServerCertificate(
  authority: CertificateAndKey,
  names: readonly string[],
  now: Date,
): Promise<CertificateAndKey> {
  const keys = await makeKeys()
  const issuer = new x509.X509Certificate(authority.cert)
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=Sauti',
    issuer: issuer.subject,
    serialNumber: newSerialNumber(),
    ...validFor(SERVER_DAYS, now),
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([SERVER_AUTHENTICATION]),
      new x509.SubjectAlternativeNameExtension(names.map(asAlternativeName)),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return toPem(certificate, keys)
}

function asAlternativeName(name: string): { type: 'ip' | 'dns'; value: string } {
  return { type: isIP(name) ? 'ip' : 'dns', value: name }
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [der] = x509.PemConverter.decode(pem)
  return webcrypto.subtle.importKey('pkcs8', der!, ALGORITHM, false, ['sign']) as Promise<webcrypto.CryptoKey>
}

async function toPem(
  certificate: x509.X509Certificate,
  keys: webcrypto.CryptoKeyPair,
): Promise<CertificateAndKey> {
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    cert: `${certificate.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`,
  }
}

/** Positive and at most 20 bytes, as RFC 5280 wants it. */
function newSerialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`
}

function validFor(days: number, now: Date): { notBefore: Date; notAfter: Date } {
  const from = now.getTime() - BACKDATED_MS
  return { notBefore: new Date(from), notAfter: new Date(from + days * DAY_MS) }
}
