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
  readonly mend?: string
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
  return good(`read; data folder ${config.dataDir}`)
}

async function lookAtService({ settings }: Service): Promise<Finding> {
  const { hostname, port, protocol } = new URL(settings.url)
  const number = Number(port || (protocol === 'https:' ? 443 : 80))
  const problem = await tryPort(hostname.replace(/^\[|\]$/g, ''), number)
  if (problem === undefined) return good(`${hostname} answers on port ${number}`)
  const mend = 'start it with sauti serve, or name another with --url or SAUTI_URL'
  return bad(`nobody answers at ${hostname} on port ${number}: ${problem}`, mend)
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
    socket.once('timeout', () => end('no answer in time'))
    socket.once('error', error => end((error as NodeJS.ErrnoException).code ?? error.message))
  })
}

async function lookAtCertificate({ client, settings }: Service): Promise<Finding> {
  try {
    const models = await client.models({ maxRetries: 0 })
    const by = settings.authorityFile ? `by ${settings.authorityFile}` : 'by the system'
    return good(`trusted ${by}; ${models.length} models are offered`)
  } catch (error) {
    const { code, message } = error as SautiError
    if (code === 'certificate_untrusted') return bad(message, 'name its authority with --ca FILE or SAUTI_CA')
    return skipped(`the service cannot be asked: ${message}`)
  }
}

async function lookAtKey({ client, settings }: Service): Promise<Finding> {
  if (settings.apiKey === undefined) return bad('there is none', 'set SAUTI_API_KEY or run sauti login')
  try {
    const { available_ms } = await client.usage({ maxRetries: 0 })
    if (available_ms >= 1000)
      return good(`accepted; ${Math.floor(available_ms / 1000)} seconds of audio left`)
    return bad('accepted, but no credit is left', 'ask whoever runs the service for more')
  } catch (error) {
    const { message } = error as SautiError
    if (!(error instanceof SautiApiError)) return skipped(`the service cannot be asked: ${message}`)
    return bad(message, 'make a new key in the console, then run sauti login')
  }
}

function lookAtModels(): Finding {
  const { modelsDir } = readCommandConfig()
  const missing = MODEL_IDS.filter(model => !existsSync(join(modelsDir, model, 'manifest.json')))
  if (missing.length === 0) return good(`all there, in ${modelsDir}`)
  return bad(
    `not in ${modelsDir}: ${missing.join(', ')}`,
    'set SAUTI_MODELS_DIR, or import them with sauti models import',
  )
}

async function lookAtDatabase(): Promise<Finding> {
  const { databaseUrl, dataDir } = readCommandConfig()
  if (databaseUrl === undefined && !existsSync(dataDir)) return skipped('none was made on this machine yet')
  const count = await withDatabase(db =>
    db.query<{ count: number }>('SELECT count(*)::int AS count FROM accounts'),
  )
  return good(`opened; ${count[0]!.count} accounts`)
}

function lookAtFormats(): Finding {
  if (isInstalled('ffmpeg')) return good('every format that ffmpeg knows')
  return bad(
    'only WAVE can be read',
    'install ffmpeg; the file call of the service takes all common formats without it',
  )
}

function lookAtMicrophone(): Finding {
  const canRecord = isInstalled(RECORDER) || isInstalled('ffmpeg')
  if (!canRecord) return bad('nothing can record', 'install alsa-utils or ffmpeg')
  if (process.platform !== 'linux' || !isInstalled(RECORDER)) return skipped('it is tried when it is used')
  const { stdout } = spawnSync(RECORDER, ['-l'], { encoding: 'utf8' })
  const devices = stdout.split('\n').filter(line => line.startsWith('card '))
  if (devices.length > 0) return good(`${devices.length} found`)
  return bad('none was found', 'connect one; a server needs none')
}

function good(found: string): Finding {
  return { state: 'good', found }
}

function bad(found: string, mend: string): Finding {
  return { state: 'bad', found, mend }
}

function skipped(found: string): Finding {
  return { state: 'skipped', found }
}
