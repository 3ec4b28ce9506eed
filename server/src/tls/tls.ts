// TLS: the operator's own certificate, or on a fresh machine a local authority and a certificate of it, kept in the data folder.
// Behind a proxy that ends TLS there is none.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { readPrivateFile, writePrivateFile } from '../private-file.ts'
import type { Config } from '../settings/config.ts'
import type { CertificateAndKey } from './local-authority.ts'

export interface Tls {
  /** PEM; the certificate with its chain. */
  readonly cert: string
  readonly key: string
  /** PEM file of the local authority that clients must trust; undefined for the operator's own certificate. */
  readonly authorityFile: string | undefined
}

export type TlsConfig = Pick<Config, 'tls' | 'tlsCert' | 'tlsKey' | 'dataDir' | 'host' | 'publicUrl'>

const DAY_MS = 86_400_000
/** A certificate with less time than this left is replaced at start. */
const RENEW_BEFORE_MS = 60 * DAY_MS

export async function loadTls(config: TlsConfig, now: Date): Promise<Tls | undefined> {
  if (config.tls === 'off') return undefined
  if (config.tlsCert !== undefined && config.tlsKey !== undefined) {
    return readOwnCertificate(config.tlsCert, config.tlsKey, now)
  }
  return loadLocalCertificate(config, now)
}

// ---- the operator's own

function readOwnCertificate(certFile: string, keyFile: string, now: Date): Tls {
  const cert = readSetting('SAUTI_TLS_CERT', certFile)
  const key = readSetting('SAUTI_TLS_KEY', keyFile)
  const certificate = parse('SAUTI_TLS_CERT', certFile, 'certificate', () => new X509Certificate(cert))
  const privateKey = parse('SAUTI_TLS_KEY', keyFile, 'private key', () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`SAUTI_TLS_KEY: ${keyFile} is not the key of the certificate ${certFile}`)
  }
  const problem = findTimeProblem(certificate, now)
  if (problem) throw new Error(`SAUTI_TLS_CERT: ${certFile} ${problem}`)
  return { cert, key, authorityFile: undefined }
}

function readSetting(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${variable}: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    })
  }
}

function parse<T>(variable: string, file: string, what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`${variable}: ${file} holds no ${what} in PEM`, { cause: error })
  }
}

function findTimeProblem(certificate: X509Certificate, now: Date): string | undefined {
  if (new Date(certificate.validTo) <= now) return `expired on ${certificate.validTo}`
  if (new Date(certificate.validFrom) > now) return `is not valid before ${certificate.validFrom}`
  return undefined
}

// ---- our own

async function loadLocalCertificate(config: TlsConfig, now: Date): Promise<Tls> {
  const folder = join(config.dataDir, 'tls')
  const names = serverNames(config)
  const authority = readPair(join(folder, 'ca'))
  const server = readPair(join(folder, 'server'))
  const isWhole =
    authority !== undefined &&
    isAuthority(authority, now) &&
    server !== undefined &&
    isGood(server, now) &&
    isFor(server, names, authority)
  const certificate = isWhole ? server : await makeLocalCertificate(folder, names, now)
  return { ...certificate, authorityFile: join(folder, 'ca.pem') }
}

/** With the authority that is there, where it may vouch for these names; else with a new one. */
async function makeLocalCertificate(
  folder: string,
  names: readonly string[],
  now: Date,
): Promise<CertificateAndKey> {
  // Loaded here: making certificates needs a library that takes a quarter of a second, and most starts make none.
  const { issueAuthority, issueServerCertificate, mayVouchFor } = await import('./local-authority.ts')
  const kept = readPair(join(folder, 'ca'))
  const isKept = kept !== undefined && isAuthority(kept, now) && mayVouchFor(kept, names)
  const authority = isKept ? kept : await issueAuthority(names, now)
  if (!isKept) writePair(join(folder, 'ca'), authority)
  const server = await issueServerCertificate(authority, names, now)
  writePair(join(folder, 'server'), server)
  return server
}

function readPair(path: string): CertificateAndKey | undefined {
  const cert = readPrivateFile(`${path}.pem`)
  const key = readPrivateFile(`${path}-key.pem`)
  return cert === undefined || key === undefined ? undefined : { cert, key }
}

function writePair(path: string, { cert, key }: CertificateAndKey): void {
  writePrivateFile(`${path}-key.pem`, key)
  writePrivateFile(`${path}.pem`, cert)
}

function isAuthority(pair: CertificateAndKey, now: Date): boolean {
  return isGood(pair, now) && new X509Certificate(pair.cert).ca
}

function isGood({ cert, key }: CertificateAndKey, now: Date): boolean {
  try {
    const certificate = new X509Certificate(cert)
    const timeLeftMs = new Date(certificate.validTo).getTime() - now.getTime()
    return timeLeftMs > RENEW_BEFORE_MS && certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    // A file that is incomplete or not ours is replaced by a new one.
    return false
  }
}

function isFor({ cert }: CertificateAndKey, names: readonly string[], authority: CertificateAndKey): boolean {
  const certificate = new X509Certificate(cert)
  const covers = (name: string) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name))
  return names.every(covers) && certificate.verify(new X509Certificate(authority.cert).publicKey)
}

function serverNames({ host, publicUrl }: TlsConfig): string[] {
  const publicHost = publicUrl === undefined ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')]
  const listening = host === '0.0.0.0' || host === '::' ? [] : [host]
  return [...new Set(['localhost', '127.0.0.1', '::1', ...listening, ...publicHost])]
}
