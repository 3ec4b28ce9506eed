// Start: reads and checks the settings. The only reader of the environment; everything else gets a checked Config.

import { isIP } from 'node:net'
import { LEAN_MEMORY } from './lean-memory.ts'
import { readSettings, type Setting, variablesOf } from './setting.ts'
import { SETTINGS } from './table.ts'

type Settings = ReturnType<typeof readSettings<typeof SETTINGS>>

export interface Config extends Omit<Settings, 'publicUrl' | 'nodeUrl'> {
  /** Without a path and without a slash at the end. Undefined only with port 0, until the port is known. */
  readonly publicUrl: string | undefined
  /** As publicUrl, where this node has an address of its own. */
  readonly nodeUrl: string | undefined
}

export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`the settings are wrong:\n${problems.map(problem => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Options of Node itself, which are no setting of ours. */
export function readNodeOptions(env: NodeJS.ProcessEnv = process.env): string {
  return env.NODE_OPTIONS ?? ''
}

/**
 * The processes that the service starts take this over. In each of them one thread does the work, so one pool of the C library is enough;
 * several keep memory that nobody uses. An operator's own value stays.
 */
export function saveMemoryOfChildren(env: NodeJS.ProcessEnv = process.env): void {
  env.MALLOC_ARENA_MAX ??= LEAN_MEMORY.MALLOC_ARENA_MAX
}

/** Reads and checks everything, and throws one ConfigError that names all that is wrong. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return readChecked(env, findContradictions)
}

/** For a command beside the service: what only a node that serves needs, such as the shared secret, may be missing. */
export function readCommandConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return readChecked(env, () => [])
}

function readChecked(env: NodeJS.ProcessEnv, checkRules: (settings: Settings) => string[]): Config {
  const problems = findUnknownVariables(env)
  const settings = readSettings(SETTINGS, env, problems)
  // Rules between settings would only repeat what is already said of a setting that could not be read.
  if (problems.length === 0) problems.push(...checkRules(settings))
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    ...settings,
    nodeUrl: settings.nodeUrl?.origin,
    publicUrl: settings.publicUrl?.origin ?? derivePublicUrl(settings.host, settings.port),
  }
}

/** Settings that are possible and probably a mistake, for the log of the start. */
export function doubtfulSettings({
  tls,
  trustedProxies = [],
}: Pick<Config, 'tls' | 'trustedProxies'>): string[] {
  if (tls === 'on' || trustedProxies.length > 0) return []
  return [
    'SAUTI_TLS=off without SAUTI_TRUSTED_PROXIES: all clients seem to come from the proxy and share every limit by address. Name the proxy.',
  ]
}

/** The address of a service that listens on `host` and `port` itself. */
export function derivePublicUrl(host: string, port: number): string | undefined {
  if (port === 0) return undefined
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `https://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`
}

// Variables of the client tools and of the tests may be in the same environment.
const NOT_OURS = /^SAUTI_(API_KEY|URL|CA|CONFIG|TEST_.*)$/

function findUnknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = new Set<string>(Object.values<Setting<unknown>>(SETTINGS).flatMap(variablesOf))
  return Object.keys(env)
    .filter(name => name.startsWith('SAUTI_') && !known.has(name) && !NOT_OURS.test(name))
    .map(name => `${name} is not a setting`)
}

function findContradictions(settings: Settings): string[] {
  const problems: string[] = []
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) {
    problems.push('SAUTI_TLS_CERT and SAUTI_TLS_KEY must be set together')
  }
  if (settings.tls === 'off' && settings.tlsCert !== undefined) {
    problems.push('SAUTI_TLS=off and SAUTI_TLS_CERT contradict each other')
  }
  if (settings.tls === 'off' && settings.publicUrl === undefined) {
    problems.push('SAUTI_PUBLIC_URL is required with SAUTI_TLS=off: the https address of the proxy')
  }
  for (const [variable, address] of [
    ['SAUTI_PUBLIC_URL', settings.publicUrl],
    ['SAUTI_NODE_URL', settings.nodeUrl],
  ] as const) {
    if (address && address.href !== `${address.origin}/`) {
      problems.push(`${variable} must have no path, query or user name`)
    }
  }
  if (settings.databaseUrl !== undefined && settings.secret === undefined) {
    problems.push('SAUTI_SECRET is required with SAUTI_DATABASE_URL: all nodes must share it')
  }
  const oidc = [settings.oidcIssuer, settings.oidcClientId, settings.oidcClientSecret]
  if (oidc.includes(undefined) && oidc.some(value => value !== undefined)) {
    problems.push('SAUTI_OIDC_ISSUER, SAUTI_OIDC_CLIENT_ID and SAUTI_OIDC_CLIENT_SECRET must be set together')
  }
  if ((settings.smtpUrl === undefined) !== (settings.mailFrom === undefined)) {
    problems.push('SAUTI_SMTP_URL and SAUTI_MAIL_FROM must be set together')
  }
  if (settings.nodeLostAfterMs < 2 * settings.heartbeatIntervalMs) {
    problems.push('SAUTI_NODE_LOST_SECONDS must be at least twice SAUTI_HEARTBEAT_SECONDS')
  }
  return problems
}
