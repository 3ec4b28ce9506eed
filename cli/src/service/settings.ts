// Which service, with which key: from flags, the environment, or the file that `sauti login` wrote, in this order.

import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { SautiClient } from '@sauti/client'
import { createTransport, type Transport } from '@sauti/client/node'
import { type OptionSpec, type Options, UsageError } from '../command.ts'
import { readConfigFile } from './config-file.ts'
import { explainFailure } from './explain-failure.ts'

export const SERVICE_OPTIONS = {
  url: {
    value: 'URL',
    description: 'Address of the service; SAUTI_URL. Default: https://localhost:8443.',
  },
  'api-key': {
    value: 'KEY',
    description: 'API key. Others on this machine may see it; SAUTI_API_KEY or sauti login is safer.',
  },
  ca: {
    value: 'FILE',
    description:
      'Certificate authority to trust, PEM; SAUTI_CA. A service on this machine is trusted automatically.',
  },
} as const satisfies Record<string, OptionSpec>

interface ServiceSettings {
  readonly url: string
  readonly apiKey: string | undefined
  readonly authorityFile: string | undefined
}

export interface Service extends Transport {
  readonly settings: ServiceSettings
  readonly client: SautiClient
}

const DEFAULT_URL = 'https://localhost:8443'

export function readServiceSettings(options: Options, env: NodeJS.ProcessEnv): ServiceSettings {
  const saved = readConfigFile(env)
  const url = checkUrl(options.text('url') ?? env.SAUTI_URL ?? saved.url ?? DEFAULT_URL)
  // A saved key belongs to the saved service: it is not shown to another.
  const savedKey = saved.url === undefined || checkUrl(saved.url) === url ? saved.api_key : undefined
  return {
    url,
    apiKey: options.text('api-key') ?? env.SAUTI_API_KEY ?? savedKey,
    authorityFile: options.text('ca') ?? env.SAUTI_CA ?? saved.ca ?? findLocalAuthority(url, env),
  }
}

export function openService(options: Options, env = process.env): Service {
  const settings = readServiceSettings(options, env)
  const transport = openTransport(settings.authorityFile)
  const { url: baseUrl, apiKey } = settings
  const client = new SautiClient({
    baseUrl,
    maxRetries: 2,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(transport.fetch ? { fetch: transport.fetch } : {}),
  })
  return { settings, client, ...transport }
}

function openTransport(authorityFile: string | undefined): Transport {
  try {
    return createTransport(authorityFile ?? '')
  } catch (error) {
    throw explainFailure(error)
  }
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href.replace(/\/+$/, '')
  throw new UsageError(`the address of the service must begin with https://, not "${text}"`)
}

/** A service that was started on this machine has made an authority of its own in its data folder. */
function findLocalAuthority(url: string, env: NodeJS.ProcessEnv): string | undefined {
  if (!isLocal(new URL(url).hostname)) return undefined
  const file = join(env.SAUTI_DATA_DIR ?? '.sauti', 'tls', 'ca.pem')
  return existsSync(file) ? file : undefined
}

function isLocal(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  )
}
