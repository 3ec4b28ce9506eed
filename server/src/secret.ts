// The secret that session credentials are derived from: of the settings, or made once and kept in the data folder.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

const SECRET_BYTES = 48

export function loadSecret({ secret, dataDir }: Pick<Config, 'secret' | 'dataDir'>): string {
  if (secret !== undefined) return secret
  const path = join(dataDir, 'secret')
  const kept = readPrivateFile(path)?.trim()
  if (kept) return kept
  const fresh = randomBytes(SECRET_BYTES).toString('base64url')
  writePrivateFile(path, `${fresh}\n`)
  return fresh
}
