// The service as a whole: builds its parts in the order in which they need each other, and stops them in reverse.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { type Config, derivePublicUrl } from './config.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import type { Database } from './db/port.ts'
import { buildApp } from './http/app.ts'
import { closerOf } from './http/closing.ts'
import { createAuth, deriveCookieSecret } from './http/console/auth.ts'
import { createMailer } from './http/console/mail.ts'
import { serveConsole } from './http/console/serve.ts'
import { createMetricsServer } from './http/metrics.ts'
import { startUpkeep } from './ledger/upkeep.ts'
import { openRecogniser } from './recogniser/open-recogniser.ts'
import type { Recogniser } from './recogniser/port.ts'
import { createRecogniserMetrics } from './recogniser-metrics.ts'
import { loadSecret } from './secret.ts'
import { deriveCredentialKey } from './sessions/credential.ts'
import { StreamServer } from './stream/server.ts'
import { loadTls, type Tls } from './tls.ts'

export interface Service {
  /** How clients reach it. */
  readonly publicUrl: string
  readonly port: number
  readonly metricsPort: number | undefined
  /** PEM file of the local authority that clients must trust, where the certificate is our own. */
  readonly authorityFile: string | undefined
  readonly database: Database
  /** Takes no new sessions, lets streams run on up to the drain deadline, ends them, and stops every part. */
  stop(): Promise<void>
}

export interface ServiceHooks {
  readonly log: Logger
  /** The service cannot go on: what it stands on is gone. */
  readonly onFatal: (error: Error) => void
}

/** Resolves when requests are answered. When a part cannot start, those that did are stopped again. */
export async function startService(config: Config, hooks: ServiceHooks): Promise<Service> {
  const started = new StartedParts()
  try {
    return await startParts(config, hooks, started)
  } catch (error) {
    await started.stop()
    throw error
  }
}

/** What every part gets. */
interface Basis {
  readonly config: Config
  readonly log: Logger
  readonly metrics: Registry
  readonly nodeId: string
  readonly credentialKey: Buffer
  readonly cookieSecret: string
  readonly isDraining: () => boolean
}

async function startParts(config: Config, hooks: ServiceHooks, started: StartedParts): Promise<Service> {
  const { log } = hooks
  let isDraining = false
  const database = await startDatabase(config, hooks, started)
  const tls = await loadTls(config, new Date())
  const secret = loadSecret(config)
  const basis: Basis = {
    config,
    log,
    metrics: createMetrics(),
    nodeId: randomUUID(),
    credentialKey: deriveCredentialKey(secret),
    cookieSecret: deriveCookieSecret(secret),
    isDraining: () => isDraining,
  }
  const metricsPort = await startMetrics(basis, started)
  const recogniser = await startRecogniser(basis, started)
  // The stream first settles what an earlier process wrote down; only then may upkeep fail the sessions of dead nodes.
  const streams = await startStreams(basis, database, recogniser, started)
  await keepUp(basis, database, started)
  const listening = await listen(basis, { database, recogniser, tls, streams }, started)
  const stop = async () => {
    isDraining = true
    await streams.drain(config.drainTimeoutMs)
    await started.stop()
  }
  return { ...listening, metricsPort, authorityFile: tls?.authorityFile, database, stop }
}

async function startDatabase(config: Config, hooks: ServiceHooks, started: StartedParts): Promise<Database> {
  const { log, onFatal } = hooks
  const database = await openDatabase(config, {
    as: 'service',
    onConnectionLost: error => log.warn({ err: error }, 'a connection to the database was lost'),
    onEngineLost: onFatal,
  })
  started.add(() => database.close())
  const applied = await migrate(database)
  if (applied.length > 0) log.info({ migrations: applied }, 'the database was brought up to date')
  return database
}

function createMetrics(): Registry {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  return metrics
}

async function startMetrics({ config, metrics }: Basis, started: StartedParts): Promise<number | undefined> {
  if (config.metricsPort === undefined) return undefined
  const server = createMetricsServer(metrics).listen(config.metricsPort, config.metricsHost)
  await once(server, 'listening')
  started.add(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

async function startRecogniser({ config, log, metrics }: Basis, started: StartedParts): Promise<Recogniser> {
  const recogniser = await openRecogniser(config, { log, metrics: createRecogniserMetrics(metrics) })
  started.add(() => recogniser.close())
  return recogniser
}

async function startStreams(
  { config, ...basis }: Basis,
  db: Database,
  recogniser: Recogniser,
  started: StartedParts,
): Promise<StreamServer> {
  const streams = await StreamServer.start({
    ...basis,
    db,
    recogniser,
    journalPath: join(config.dataDir, 'settlements.jsonl'),
    settings: config,
    clock: () => new Date(),
    monotonicMs: () => performance.now(),
    newId: randomUUID,
  })
  started.add(() => streams.close())
  return streams
}

async function keepUp({ config, log, nodeId }: Basis, db: Database, started: StartedParts): Promise<void> {
  const upkeep = await startUpkeep({
    db,
    nodeId,
    clock: () => new Date(),
    settings: config,
    isOnlyNode: config.databaseUrl === undefined,
    onError: error => log.error({ err: error }, 'upkeep failed and will be tried again'),
  })
  started.add(() => upkeep.stop())
}

interface ListeningParts {
  readonly database: Database
  readonly recogniser: Recogniser
  readonly tls: Tls | undefined
  readonly streams: StreamServer
}

async function listen(
  { config, ...basis }: Basis,
  { database, recogniser, tls, streams }: ListeningParts,
  started: StartedParts,
): Promise<{ port: number; publicUrl: string }> {
  let publicUrl = config.publicUrl ?? ''
  const parts = {
    ...basis,
    db: database,
    recogniser,
    settings: config,
    publicUrl: () => publicUrl,
    tls,
    clock: () => new Date(),
    newId: randomUUID,
  }
  const app = buildApp(parts)
  serveConsole(app, {
    ...parts,
    auth: createAuth({ db: database, cookieSecret: basis.cookieSecret, newId: randomUUID }),
    mailer: config.smtpUrl && config.mailFrom ? createMailer(config.smtpUrl, config.mailFrom) : undefined,
  })
  streams.attach(app.server)
  started.add(closerOf(app))
  await app.listen({ host: config.host, port: config.port })
  const { port } = app.server.address() as AddressInfo
  publicUrl ||= derivePublicUrl(config.host, port)!
  return { port, publicUrl }
}

/** What has to be stopped, the last first. Stopping goes on when one part fails, and then tells the first failure. */
class StartedParts {
  readonly #stops: (() => Promise<void> | void)[] = []

  add(stop: () => Promise<void> | void): void {
    this.#stops.push(stop)
  }

  async stop(): Promise<void> {
    const failures: unknown[] = []
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop()) {
      try {
        await stop()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
