// The secret that session credentials and cookies are derived from: from the settings, or made once and kept in the data folder. While
// it is being replaced there are two: the new one signs, and what the old one has signed stays valid.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readPrivateFile, writePrivateFile } from './private-file.ts'
import type { Config } from './settings/config.ts'

const SECRET_BYTES = 48

/** The one that signs first. */
export type Secrets = readonly [current: string, previous?: string]

type SecretConfig = Pick<Config, 'secret' | 'previousSecret' | 'dataDir'>

export function loadSecrets({ secret, previousSecret, dataDir }: SecretConfig): Secrets {
  const previous = previousSecret ?? readPrivateFile(previousPath(dataDir))?.trim()
  const current = secret ?? loadKeptSecret(dataDir)
  return previous === undefined || previous === '' ? [current] : [current, previous]
}

/** Replaces the secret in the data folder; the former one stays valid until the next replacement. Takes effect at the next start. */
export function rotateKeptSecret(dataDir: string): void {
  writePrivateFile(previousPath(dataDir), `${loadKeptSecret(dataDir)}\n`)
  writePrivateFile(join(dataDir, 'secret'), `${makeSecret()}\n`)
}

function loadKeptSecret(dataDir: string): string {
  const path = join(dataDir, 'secret')
  const kept = readPrivateFile(path)?.trim()
  if (kept) return kept
  const fresh = makeSecret()
  writePrivateFile(path, `${fresh}\n`)
  return fresh
}

function previousPath(dataDir: string): string {
  return join(dataDir, 'secret.previous')
}

function makeSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}
