// The user's own settings, written by `sauti login` and readable only by the user: the key in it is worth money.

import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from '../command.ts'

export interface SavedSettings {
  readonly url?: string
  readonly api_key?: string
  readonly ca?: string
}

const OWNER_ONLY = 0o600
const OTHERS = 0o077

function configPath(env: NodeJS.ProcessEnv): string {
  if (env.SAUTI_CONFIG) return env.SAUTI_CONFIG
  const home = env.XDG_CONFIG_HOME ?? (process.platform === 'win32' ? env.APPDATA : undefined)
  return join(home ?? join(homedir(), '.config'), 'sauti', 'config.json')
}

export function readConfigFile(env: NodeJS.ProcessEnv): SavedSettings {
  const path = configPath(env)
  const text = readIfThere(path)
  if (text === undefined) return {}
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) {
    throw new Failure(`${path} holds your API key and others may read it; run: chmod 600 ${path}`)
  }
  try {
    return JSON.parse(text) as SavedSettings
  } catch (cause) {
    throw new Failure(`${path} is damaged; run sauti login again`, { cause })
  }
}

/** Written to a temporary file and moved into place: it is never incomplete, and never readable by others. */
export function writeConfigFile(settings: SavedSettings, env: NodeJS.ProcessEnv): string {
  const path = configPath(env)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const fresh = `${path}.new`
  writeFileSync(fresh, `${JSON.stringify(settings, null, 2)}\n`, { mode: OWNER_ONLY })
  chmodSync(fresh, OWNER_ONLY)
  renameSync(fresh, path)
  return path
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Failure(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
