// The service as a whole: builds its parts in the order in which they need each other, and stops them in reverse.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import type { Database } from './db/port.ts'
import { deriveCookieSecrets } from './http/console/auth/cookie-secrets.ts'
import { createMetricsServer } from './http/monitoring/metrics.ts'
import { INSTALLATION } from './installation.ts'
import { endSessionsOfEarlierRuns } from './nodes/upkeep.ts'
import { openRecogniser } from './recogniser/open-recogniser.ts'
import type { Recogniser } from './recogniser/port.ts'
import { createVoiceDetector } from './recogniser/voice/voice-detector.ts'
import { loadSecrets } from './secret.ts'
import { deriveCredentialKeys } from './sessions/credential.ts'
import { type Config, doubtfulSettings } from './settings/config.ts'
import type { Basis } from './startup/basis.ts'
import { listen } from './startup/http.ts'
import { createMembership, drainNode, joinOthers, type Serving, shareRates } from './startup/node.ts'
import { createRecogniserMetrics } from './startup/recogniser-metrics.ts'
import { StartedParts } from './startup/started-parts.ts'
import { StreamServer } from './stream/server.ts'
import { loadTls } from './tls/tls.ts'

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
  /** The service cannot go on: its database is gone. */
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

async function startParts(config: Config, hooks: ServiceHooks, started: StartedParts): Promise<Service> {
  const { log } = hooks
  for (const warning of doubtfulSettings(config)) log.warn(warning)
  const metrics = createMetrics()
  const warming = beginRecogniser(config, log, metrics, started)
  const database = await startDatabase(config, hooks, started)
  const tls = await loadTls(config, new Date())
  const secrets = loadSecrets(config)
  const serving: Serving = { recogniser: undefined, streams: undefined }
  const node = createMembership(config, log, database, serving)
  await node.learnTime()
  // Stopped after the streams: a node that has left cannot settle its sessions any more.
  started.add(() => node.leave().catch(error => log.warn({ err: error }, 'the others could not be told')))
  const clock = () => node.clock.now()
  const basis: Basis = {
    config,
    log,
    metrics,
    node,
    clock,
    sharedRates: shareRates({ node, clock, log }, database, started),
    credentialKeys: deriveCredentialKeys(secrets),
    cookieSecrets: deriveCookieSecrets(secrets),
    isDraining: () => node.state === 'draining' || node.state === 'gone',
  }
  const metricsPort = await startMetrics(basis, started)
  const recogniser = await warming
  // The stream first settles what an earlier process wrote down; only then may upkeep fail the sessions of dead nodes.
  const streams = await startStreams(basis, database, recogniser, started)
  Object.assign(serving, { recogniser, streams })
  if (config.databaseUrl === undefined) await endSessionsOfEarlierRuns(database, basis.clock())
  const listening = await listen(basis, { database, recogniser, tls, streams }, started)
  await joinOthers(basis, database, listening.publicUrl, started)
  const stop = async () => {
    await drainNode(basis, streams)
    await started.stop()
  }
  return { ...listening, metricsPort, authorityFile: tls?.authorityFile, database, stop }
}

async function startDatabase(config: Config, hooks: ServiceHooks, started: StartedParts): Promise<Database> {
  const { log, onFatal } = hooks
  const database = await openDatabase(config, {
    as: 'service',
    onConnectionLost: error => log.warn({ err: error }, 'a connection to the database was lost'),
    onDatabaseLost: onFatal,
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

/** The first part to begin and the last to stop: engines load their models in processes of their own while the database starts. */
function beginRecogniser(
  config: Config,
  log: Logger,
  metrics: Registry,
  started: StartedParts,
): Promise<Recogniser> {
  const warming = openRecogniser(config, { log, metrics: createRecogniserMetrics(metrics) })
  // Where another part fails first, nobody waits for this one any more.
  const opened = warming.catch(() => undefined)
  started.add(async () => (await opened)?.close())
  return warming
}

async function startStreams(
  { config, ...basis }: Basis,
  db: Database,
  recogniser: Recogniser,
  started: StartedParts,
): Promise<StreamServer> {
  const voice = createVoiceDetector(INSTALLATION.voiceModel)
  started.add(() => voice.close())
  const streams = await StreamServer.start({
    ...basis,
    db,
    recogniser,
    voice,
    journalPath: join(config.dataDir, 'settlements.jsonl'),
    settings: config,
    // A client that was sent to this very node has no other to turn to.
    isDraining: () => basis.isDraining() && config.nodeUrl === undefined,
    monotonicMs: () => performance.now(),
    newId: randomUUID,
  })
  started.add(() => streams.close())
  return streams
}
