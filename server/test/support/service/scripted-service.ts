// The service with a recogniser and a database that fail on command; all else is real: HTTP and WebSocket over TLS, SQL.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, afterEach } from 'vitest'
import { createKey } from '#server/accounts/keys.js'
import type { Database } from '#server/db/port.js'
import { buildApp } from '#server/http/app.js'
import { closerOf } from '#server/http/closing.js'
import { createAddressReader, createClientReader } from '#server/network/client-address.js'
import { Membership } from '#server/nodes/membership.js'
import { SharedRates } from '#server/nodes/shared-rates.js'
import { startUpkeep } from '#server/nodes/upkeep.js'
import type { Recogniser } from '#server/recogniser/port.js'
import { deriveCredentialKeys } from '#server/sessions/credential.js'
import { type Config, readConfig } from '#server/settings/config.js'
import type { Wire } from '#server/stream/dialect.js'
import { StreamServer } from '#server/stream/server.js'
import { createWires, type WireParts } from '#server/stream/wires/all.js'
import { loadTls } from '#server/tls/tls.js'
import { type OpenTestDatabase, openTestDatabase } from '../database/database.ts'
import { expectBalance } from '../database/ledger.ts'
import { loudnessDetector } from '../recogniser/loudness-detector.ts'
import { type Customer, createCustomer } from './customer.ts'
import { FrontDoor } from './front-door.ts'

export interface ScriptedOptions {
  readonly recogniser: Recogniser
  readonly env?: Readonly<Record<string, string>>
  /** Shares this database with others, as a second node does, and leaves it open. */
  readonly database?: OpenTestDatabase
  /** Served beside our own. */
  readonly wires?: (parts: WireParts) => readonly Wire[]
  /** Wraps the database of the service. */
  readonly wrap?: (database: Database) => Database
}

interface Running {
  readonly port: number
  readonly ca: string
  readonly metrics: Registry
  readonly logLines: readonly string[]
  /** Told to other nodes only when a test says so. */
  readonly sharedRates: SharedRates
  drain(deadlineMs: number): Promise<void>
  stop(): Promise<void>
}

const SECRET = 'what all nodes of a test share'

export class ScriptedService extends FrontDoor {
  readonly database: Database
  readonly port: number
  readonly ca: string
  readonly metrics: Registry
  readonly logLines: readonly string[]
  readonly sharedRates: SharedRates
  readonly drain: (deadlineMs: number) => Promise<void>
  readonly stop: () => Promise<void>

  constructor(database: Database, running: Running) {
    super(running)
    this.database = database
    this.port = running.port
    this.ca = running.ca
    this.metrics = running.metrics
    this.logLines = running.logLines
    this.sharedRates = running.sharedRates
    this.drain = running.drain
    this.stop = running.stop
  }

  openAccount(seconds = 600, concurrency = 1): Promise<Customer> {
    return createCustomer(this.database, new Date(), { creditMs: seconds * 1000, concurrency })
  }

  async anotherKey({ accountId }: Customer): Promise<string> {
    const key = {
      id: randomUUID(),
      accountId,
      name: 'another',
      models: null,
      expiresAt: null,
      now: new Date(),
    }
    return (await createKey(this.database, key))!
  }
}

export async function startScriptedService(options: ScriptedOptions): Promise<ScriptedService> {
  const owned = options.database ?? (await openTestDatabase())
  const running = await run(owned, options)
  const stop = async () => {
    await running.stop()
    if (!options.database) await owned.close()
  }
  return new ScriptedService(owned.database, { ...running, stop })
}

/** For the tests of one file: stopped after the last of them. The ledger must balance after each. */
export async function openScriptedService(options: ScriptedOptions): Promise<ScriptedService> {
  const service = await startScriptedService(options)
  afterEach(() => expectBalance(service.database))
  afterAll(() => service.stop())
  return service
}

async function run({ database, env }: OpenTestDatabase, options: ScriptedOptions): Promise<Running> {
  const config = readConfig({ ...env, SAUTI_USAGE_READS_PER_MINUTE: '100000', ...options.env })
  const tls = (await loadTls(config, new Date()))!
  const logLines: string[] = []
  let isDraining = false
  let port = 0
  const parts = createParts({
    db: options.wrap ? options.wrap(database) : database,
    recogniser: options.recogniser,
    config,
    logLines,
    isDraining: () => isDraining,
    onLoss: () => streams.failAll(),
  })
  const { node, onError, sharedRates, metrics } = parts
  const clientOf = createClientReader(config.trustedProxies)
  const addressOf = createAddressReader(config.trustedProxies)
  const app = buildApp({ ...parts, publicUrl: () => `https://127.0.0.1:${port}`, clientOf, addressOf, tls })
  const streams = await StreamServer.start({
    ...parts,
    journalPath: join(config.dataDir, 'settlements.jsonl'),
    wires: wireParts => [...createWires(wireParts), ...(options.wires?.(wireParts) ?? [])],
  })
  streams.attach(app.server)
  const closeApp = closerOf(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
  await node.join(config.nodeUrl ?? `https://127.0.0.1:${port}`)
  const upkeep = startUpkeep({ ...parts, onDeclaredDead: () => undefined })

  async function drain(deadlineMs: number): Promise<void> {
    isDraining = true
    if (node.state !== 'draining') await node.startDraining().catch(onError)
    await streams.drain(deadlineMs)
  }
  async function stop(): Promise<void> {
    await drain(0)
    await closeApp()
    await upkeep.stop()
    await streams.close()
    await node.leave().catch(onError)
  }
  return { port, ca: readFileSync(tls.authorityFile!, 'utf8'), metrics, logLines, sharedRates, drain, stop }
}

interface Beginnings {
  readonly db: Database
  readonly recogniser: Recogniser
  readonly config: Config
  readonly logLines: string[]
  readonly isDraining: () => boolean
  readonly onLoss: () => void
}

/** What HTTP, streams and upkeep share. */
function createParts({ db, recogniser, config, logLines, isDraining, onLoss }: Beginnings) {
  // The plain logger, without the service's mask: what we log must be clean before it is masked.
  const log = pino({ level: 'trace' }, { write: line => void logLines.push(line) })
  const monotonicMs = () => performance.now()
  const node = new Membership({
    ...{ db, version: 'test', settings: config, monotonicMs, onLoss },
    vitals: () => recogniser,
  })
  const onError = (error: unknown) => log.warn({ err: error }, 'upkeep failed')
  const clock = () => node.clock.now()
  return {
    db,
    recogniser,
    voice: loudnessDetector,
    settings: config,
    credentialKeys: deriveCredentialKeys([SECRET]),
    node,
    isDraining,
    clock,
    sharedRates: new SharedRates({ db, nodeId: () => node.id, clock, onError }),
    monotonicMs,
    newId: randomUUID,
    log,
    metrics: new Registry(),
    onError,
  }
}
