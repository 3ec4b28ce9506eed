// What serves clients once database and recogniser are there: node, stream, HTTP. Apart from service.ts, because loading it takes most of a
// second, in which the database and the engines start.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Database } from '../db/port.ts'
import { deriveCookieSecrets } from '../http/console/auth/cookie-secrets.ts'
import { createMetricsServer } from '../http/monitoring/metrics.ts'
import { INSTALLATION } from '../installation.ts'
import { endSessionsOfEarlierRuns } from '../nodes/upkeep.ts'
import type { StartedRecogniser } from '../recogniser/open-recogniser.ts'
import type { Recogniser } from '../recogniser/port.ts'
import { createVoiceDetector } from '../recogniser/voice/voice-detector.ts'
import { loadSecrets } from '../secret.ts'
import { deriveCredentialKeys } from '../sessions/credential.ts'
import type { Config } from '../settings/config.ts'
import { StreamServer } from '../stream/server.ts'
import { loadTls } from '../tls/tls.ts'
import type { Basis } from './basis.ts'
import { listen } from './http.ts'
import { createMembership, drainNode, isAlone, joinOthers, type Serving, shareRates } from './node.ts'
import type { StartedParts } from './started-parts.ts'

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

export interface Foundation {
  readonly config: Config
  readonly log: Logger
  readonly metrics: Registry
  readonly database: Database
  /** Resolves when the models have been checked, while the engines still load them. */
  readonly startingRecogniser: Promise<StartedRecogniser>
}

/** Resolves when requests are answered. */
export async function startServing(foundation: Foundation, started: StartedParts): Promise<Service> {
  const { config, log, metrics, database, startingRecogniser } = foundation
  const tls = await loadTls(config, new Date())
  const secrets = loadSecrets(config)
  const serving: Serving = { recogniser: undefined, streams: undefined }
  const node = createMembership(config, log, database, serving)
  await node.learnTime()
  // Stopped after the streams: a node that has left cannot settle its sessions any more.
  started.add(() =>
    node
      .leave()
      .catch(error => log.warn({ err: error }, 'the other nodes could not be told that this one has left')),
  )
  const clock = () => node.clock.now()
  const basis: Basis = {
    config,
    log,
    metrics,
    node,
    clock,
    sharedRates: shareRates({ config, node, clock, log }, database, started),
    credentialKeys: deriveCredentialKeys(secrets),
    cookieSecrets: deriveCookieSecrets(secrets),
    isDraining: () => node.state === 'draining' || node.state === 'gone',
  }
  const metricsPort = await startMetrics(basis, started)
  const { recogniser, warm } = await startingRecogniser
  // The stream first settles what an earlier process wrote down; only then may upkeep fail the sessions of dead nodes.
  const streams = await startStreams(basis, database, recogniser, started)
  Object.assign(serving, { recogniser, streams })
  if (isAlone(config)) await endSessionsOfEarlierRuns(database, basis.clock())
  const listening = await listen(basis, { database, recogniser, warm, tls, streams }, started)
  await joinOthers(basis, database, listening.publicUrl, started)
  const stop = async () => {
    await drainNode(basis, streams)
    await started.stop()
  }
  return { ...listening, metricsPort, authorityFile: tls?.authorityFile, database, stop }
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
    // A client that was sent to this node cannot use another.
    isDraining: () => basis.isDraining() && config.nodeUrl === undefined,
    monotonicMs: () => performance.now(),
    newId: randomUUID,
  })
  started.add(() => streams.close())
  return streams
}
