// What doctor checks, from the settings to the microphone. Each check says what it found, and how to fix it where it is wrong.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { SautiApiError, type SautiError } from '@sauti/client'
import { MODEL_IDS } from '@sauti/protocol/models'
import { readCommandConfig } from '@sauti/server/settings/config.js'
import { isInstalled } from '../audio/ffmpeg.ts'
import type { Options } from '../command.ts'
import { openService, type Service } from '../service/settings.ts'
import { withDatabase } from '../with-database.ts'

export interface Finding {
  /** `skipped`: there is nothing to check here. */
  readonly state: 'good' | 'bad' | 'skipped'
  readonly found: string
  /** What to do about it. */
  readonly fix?: string
}

export interface Check {
  readonly name: string
  look(options: Options): Promise<Finding>
}

const CONNECT_MS = 3_000
const RECORDER: string = 'arecord'

/** From the nearest to the farthest: what is wrong early is often the reason for what is wrong later. */
export const CHECKS: readonly Check[] = [
  { name: 'settings', look: async () => lookAtSettings() },
  { name: 'service', look: options => lookAtService(openService(options)) },
  { name: 'certificate', look: options => lookAtCertificate(openService(options)) },
  { name: 'API key', look: options => lookAtKey(openService(options)) },
  { name: 'models', look: async () => lookAtModels() },
  { name: 'database', look: lookAtDatabase },
  { name: 'file formats', look: async () => lookAtFormats() },
  { name: 'microphone', look: async () => lookAtMicrophone() },
]

function lookAtSettings(): Finding {
  const config = readCommandConfig()
  return good(`valid; the data folder is ${config.dataDir}`)
}

async function lookAtService({ settings }: Service): Promise<Finding> {
  const { hostname, port, protocol } = new URL(settings.url)
  const number = Number(port || (protocol === 'https:' ? 443 : 80))
  const problem = await tryPort(hostname.replace(/^\[|\]$/g, ''), number)
  if (problem === undefined) return good(`${hostname} answers on port ${number}`)
  const fix = 'start it with sauti serve, or name another one with --url or SAUTI_URL'
  return bad(`no connection to ${hostname} on port ${number}: ${problem}`, fix)
}

/** Undefined when something answers. */
function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: CONNECT_MS })
    const end = (problem: string | undefined) => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => end(undefined))
    socket.once('timeout', () => end('timed out'))
    socket.once('error', error => end((error as NodeJS.ErrnoException).code ?? error.message))
  })
}

async function lookAtCertificate({ client, settings }: Service): Promise<Finding> {
  try {
    const models = await client.models({ maxRetries: 0 })
    const by = settings.authorityFile ? `with ${settings.authorityFile}` : 'by the system'
    return good(`trusted ${by}; the service offers ${models.length} models`)
  } catch (error) {
    const { code, message } = error as SautiError
    if (code === 'certificate_untrusted') return bad(message, 'name its authority with --ca FILE or SAUTI_CA')
    return skipped('not checked, because the service does not respond')
  }
}

async function lookAtKey({ client, settings }: Service): Promise<Finding> {
  if (settings.apiKey === undefined) return bad('not set', 'set SAUTI_API_KEY or run sauti login')
  try {
    const { available_ms } = await client.usage({ maxRetries: 0 })
    if (available_ms >= 1000)
      return good(`accepted; ${Math.floor(available_ms / 1000)} seconds of audio left`)
    return bad('accepted, but no credit is left', 'ask the operator of the service for more')
  } catch (error) {
    if (!(error instanceof SautiApiError)) return skipped('not checked, because the service does not respond')
    return bad(error.message, 'create a new key in the console, then run sauti login')
  }
}

function lookAtModels(): Finding {
  const { modelsDir } = readCommandConfig()
  const missing = MODEL_IDS.filter(model => !existsSync(join(modelsDir, model, 'manifest.json')))
  if (missing.length === 0) return good(`all installed in ${modelsDir}`)
  return bad(
    `missing in ${modelsDir}: ${missing.join(', ')}`,
    'set SAUTI_MODELS_DIR, or import them with sauti models import',
  )
}

async function lookAtDatabase(): Promise<Finding> {
  const { databaseUrl, dataDir } = readCommandConfig()
  if (databaseUrl === undefined && !existsSync(dataDir)) return skipped('no database on this machine yet')
  const count = await withDatabase(db =>
    db.query<{ count: number }>('SELECT count(*)::int AS count FROM accounts'),
  )
  const { count: accounts } = count[0]!
  return good(`opened; ${accounts} ${accounts === 1 ? 'account' : 'accounts'}`)
}

function lookAtFormats(): Finding {
  if (isInstalled('ffmpeg')) return good('all formats that ffmpeg supports')
  return bad(
    'only WAV files can be read',
    'install ffmpeg; without it, you can still send other formats to POST /v1/audio/transcriptions',
  )
}

function lookAtMicrophone(): Finding {
  const canRecord = isInstalled(RECORDER) || isInstalled('ffmpeg')
  if (!canRecord) return bad('no recording program is installed', 'install alsa-utils or ffmpeg')
  if (process.platform !== 'linux' || !isInstalled(RECORDER))
    return skipped('not checked here; try sauti transcribe --microphone')
  const { stdout } = spawnSync(RECORDER, ['-l'], { encoding: 'utf8' })
  const devices = stdout.split('\n').filter(line => line.startsWith('card '))
  if (devices.length > 0) return good(`${devices.length} found`)
  return bad('none was found', 'connect one; you can ignore this on a server')
}

function good(found: string): Finding {
  return { state: 'good', found }
}

function bad(found: string, fix: string): Finding {
  return { state: 'bad', found, fix }
}

function skipped(found: string): Finding {
  return { state: 'skipped', found }
}
