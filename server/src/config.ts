// Start: the settings of the service. The only reader of the environment; everything else gets a checked Config. The table
// below is also where the documentation's list of settings comes from.

import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  atLeastBytes,
  factor,
  integer,
  oneOf,
  readSettings,
  type SettingsTable,
  seconds,
  setting,
  text,
  url,
} from './setting.ts'

const SECOND = 1000
const DAY_SECONDS = 86_400
const bundledModels = fileURLToPath(new URL('../../models', import.meta.url))
const path = (value: string) => resolve(value)
const perMinute = integer(1, 1_000_000)

export const SETTINGS = {
  // where it listens
  host: setting('SAUTI_HOST', text, '127.0.0.1', 'Address to listen on.'),
  port: setting('SAUTI_PORT', integer(0, 65_535), 8443, 'Port to listen on; 0 takes a free one.'),
  publicUrl: setting(
    'SAUTI_PUBLIC_URL',
    url('https:'),
    undefined,
    'Address that clients use, always https; websocket_url is made from it. Required with SAUTI_TLS=off.',
    { fallbackText: 'https://{host}:{port}' },
  ),
  tls: setting(
    'SAUTI_TLS',
    oneOf('on', 'off'),
    'on',
    'off: plain HTTP, for a proxy in front that ends TLS. on: HTTPS, with a local certificate unless one is given.',
  ),
  tlsCert: setting('SAUTI_TLS_CERT', path, undefined, 'PEM file of the certificate chain.'),
  tlsKey: setting('SAUTI_TLS_KEY', path, undefined, 'PEM file of its private key.'),
  trustedProxies: setting(
    'SAUTI_TRUSTED_PROXIES',
    parseProxies,
    undefined,
    'Addresses or networks (comma separated) whose X-Forwarded-For is believed.',
  ),
  metricsHost: setting('SAUTI_METRICS_HOST', text, '127.0.0.1', 'Address of the metrics port.'),
  metricsPort: setting(
    'SAUTI_METRICS_PORT',
    integer(0, 65_535),
    undefined,
    'Serves /metrics on this port of its own; without it there are no metrics.',
  ),
  logLevel: setting(
    'SAUTI_LOG_LEVEL',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'Least severe log line that is written.',
  ),

  // what it keeps
  dataDir: setting(
    'SAUTI_DATA_DIR',
    path,
    resolve('.sauti'),
    'Folder of the database, keys and certificates.',
    {
      fallbackText: '.sauti',
    },
  ),
  databaseUrl: setting(
    'SAUTI_DATABASE_URL',
    parseDatabaseUrl,
    undefined,
    'PostgreSQL to use instead of the embedded database; several nodes may share it.',
    { isSecret: true },
  ),
  databasePoolSize: setting(
    'SAUTI_DATABASE_POOL_SIZE',
    integer(1, 500),
    10,
    'Most connections to the database.',
  ),
  secret: setting(
    'SAUTI_SECRET',
    atLeastBytes(32),
    undefined,
    'What session credentials are derived from, at least 32 bytes. Embedded: made and kept in the data folder. ' +
      'Required with SAUTI_DATABASE_URL: all nodes must share it.',
    { isSecret: true },
  ),

  // rates
  sessionCreationsPerMinute: setting(
    'SAUTI_SESSION_CREATIONS_PER_MINUTE',
    perMinute,
    60,
    'Session creations a minute for one key.',
  ),
  usageReadsPerMinute: setting(
    'SAUTI_USAGE_READS_PER_MINUTE',
    perMinute,
    120,
    'Usage reads a minute for one key.',
  ),
  modelListsPerMinute: setting(
    'SAUTI_MODEL_LISTS_PER_MINUTE',
    perMinute,
    300,
    'Model lists a minute for one address.',
  ),

  // the console
  signInFailures: setting(
    'SAUTI_SIGN_IN_FAILURES',
    integer(1, 100_000),
    10,
    'Wrong passwords for one e-mail address within 15 minutes before more are refused; five times as many for one network address.',
  ),
  joinsPerHour: setting(
    'SAUTI_JOINS_PER_HOUR',
    integer(1, 100_000),
    10,
    'Requests to join the waitlist an hour from one network address.',
  ),
  demoStreams: setting(
    'SAUTI_DEMO_STREAMS',
    integer(0, 1000),
    2,
    'Sample clips that visitors of the front page may hear transcribed at once; 0 switches the demonstration off.',
  ),
  smtpUrl: setting(
    'SAUTI_SMTP_URL',
    parseSmtpUrl,
    undefined,
    'Mail server, as smtps://user:password@host:465 or smtp://host:587. Without it operators hand links over themselves.',
    { isSecret: true },
  ),
  mailFrom: setting('SAUTI_MAIL_FROM', text, undefined, 'Sender of e-mails. Required with SAUTI_SMTP_URL.'),

  // limits and time-outs of a stream
  idleTimeoutMs: duration(
    'SAUTI_IDLE_TIMEOUT_SECONDS',
    60,
    'A stream that sends nothing for so long is ended.',
  ),
  pingIntervalMs: duration(
    'SAUTI_PING_INTERVAL_SECONDS',
    15,
    'Time between pings; two missed end a session.',
  ),
  sessionTimeFactor: setting(
    'SAUTI_SESSION_TIME_FACTOR',
    factor(1, 100),
    2,
    'A session may stay open this many times its reserved audio, plus SAUTI_SESSION_TIME_EXTRA_SECONDS.',
  ),
  sessionTimeExtraMs: duration('SAUTI_SESSION_TIME_EXTRA_SECONDS', 120, 'See SAUTI_SESSION_TIME_FACTOR.'),
  maxQueuedAudioMs: duration(
    'SAUTI_MAX_QUEUED_AUDIO_SECONDS',
    10,
    'Audio that may wait for the recogniser; above it the socket is read slower.',
  ),
  maxUnsentBytes: setting(
    'SAUTI_MAX_UNSENT_BYTES',
    integer(16_384, 1 << 30),
    1 << 20,
    'Events that may wait for a client that reads too slowly; above it the session is ended.',
  ),
  maxHandshakes: setting(
    'SAUTI_MAX_HANDSHAKES',
    integer(1, 100_000),
    1000,
    'WebSocket handshakes that may be under way at once.',
  ),
  drainTimeoutMs: duration('SAUTI_DRAIN_SECONDS', 30, 'How long running streams may go on after SIGTERM.'),

  // sessions of lost nodes and unused reservations
  heartbeatIntervalMs: duration(
    'SAUTI_HEARTBEAT_SECONDS',
    5,
    'Time between the signs of life that a node writes for its open sessions.',
  ),
  nodeLostAfterMs: duration(
    'SAUTI_NODE_LOST_SECONDS',
    30,
    'After so long without a sign of life the open sessions of a node are settled as failed, unbilled.',
  ),
  reaperIntervalMs: duration(
    'SAUTI_REAPER_INTERVAL_SECONDS',
    1,
    'Time between searches for expired reservations and lost nodes.',
  ),

  // the recogniser
  modelsDir: setting('SAUTI_MODELS_DIR', path, bundledModels, 'Folder of the models.', {
    fallbackText: 'models',
  }),
  recogniserWorkers: setting(
    'SAUTI_RECOGNISER_WORKERS',
    integer(1, 256),
    Math.max(1, availableParallelism() - 1),
    'Worker threads that recognise.',
    { fallbackText: 'cores - 1' },
  ),
  recogniserThreads: setting(
    'SAUTI_RECOGNISER_THREADS',
    integer(1, 64),
    1,
    'Threads of the neural network runtime in each worker.',
  ),
  executionProvider: setting(
    'SAUTI_EXECUTION_PROVIDER',
    oneOf('cpu', 'cuda'),
    'cpu',
    'Where the models run.',
  ),
  languageModel: setting(
    'SAUTI_LANGUAGE_MODEL',
    oneOf('on', 'off'),
    'on',
    'off: the models spell by sound alone, without their language models. More streams a core, more misspelled words.',
  ),
  maxStreams: setting(
    'SAUTI_MAX_STREAMS',
    integer(1, 100_000),
    undefined,
    'Most streams at once; without it what the recogniser measures that it can carry.',
    { fallbackText: 'measured' },
  ),
  engineWaitMs: duration(
    'SAUTI_ENGINE_WAIT_SECONDS',
    10,
    'How long a new stream may wait for a free place in the recogniser.',
  ),
} as const satisfies SettingsTable

type Settings = ReturnType<typeof readSettings<typeof SETTINGS>>

export interface Config extends Omit<Settings, 'publicUrl' | 'databaseUrl'> {
  /** Without a path and without a slash at the end. Undefined only with port 0, until the port is known. */
  readonly publicUrl: string | undefined
  readonly databaseUrl: string | undefined
}

export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`the settings are wrong:\n${problems.map(problem => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
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
    publicUrl: settings.publicUrl?.origin ?? derivePublicUrl(settings.host, settings.port),
    databaseUrl: settings.databaseUrl,
  }
}

/** The address of a service that listens on `host` and `port` itself. */
export function derivePublicUrl(host: string, port: number): string | undefined {
  if (port === 0) return undefined
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `https://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`
}

// Variables of the client tools and of the tests may stand in the same environment.
const NOT_OURS = /^SAUTI_(API_KEY|URL|CA|CONFIG|TEST_.*)$/

function findUnknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map(one => one.variable))
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
  if (settings.publicUrl && settings.publicUrl.href !== `${settings.publicUrl.origin}/`) {
    problems.push('SAUTI_PUBLIC_URL must have no path, query or user name')
  }
  if (settings.databaseUrl !== undefined && settings.secret === undefined) {
    problems.push('SAUTI_SECRET is required with SAUTI_DATABASE_URL: all nodes must share it')
  }
  if ((settings.smtpUrl === undefined) !== (settings.mailFrom === undefined)) {
    problems.push('SAUTI_SMTP_URL and SAUTI_MAIL_FROM must be set together')
  }
  if (settings.nodeLostAfterMs < 2 * settings.heartbeatIntervalMs) {
    problems.push('SAUTI_NODE_LOST_SECONDS must be at least twice SAUTI_HEARTBEAT_SECONDS')
  }
  return problems
}

function duration(variable: string, fallbackSeconds: number, description: string) {
  const parse = seconds(0.01, DAY_SECONDS)
  return setting(variable, parse, fallbackSeconds * SECOND, description, {
    fallbackText: `${fallbackSeconds}`,
  })
}

function parseDatabaseUrl(value: string): string {
  url('postgres:', 'postgresql:')(value)
  return value
}

function parseSmtpUrl(value: string): string {
  url('smtp:', 'smtps:')(value)
  return value
}

function parseProxies(value: string): readonly string[] {
  const proxies = value.split(',').map(one => one.trim())
  if (proxies.every(isAddressOrNetwork)) return proxies
  throw new Error('must be addresses or networks like 10.0.0.0/8, comma separated')
}

function isAddressOrNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
