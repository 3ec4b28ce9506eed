// The service with a recogniser and a database that fail on command; all else is real: HTTP and WebSocket over TLS, SQL.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createKey } from '#server/accounts/keys.js'
import { readConfig } from '#server/config.js'
import type { Database } from '#server/db/port.js'
import { buildApp } from '#server/http/app.js'
import { closerOf } from '#server/http/closing.js'
import { startUpkeep } from '#server/ledger/upkeep.js'
import type { Recogniser } from '#server/recogniser/port.js'
import { deriveCredentialKey } from '#server/sessions/credential.js'
import { StreamServer } from '#server/stream/server.js'
import { loadTls } from '#server/tls.js'
import { type Customer, createCustomer } from './customer.ts'
import { type OpenTestDatabase, openTestDatabase } from './database.ts'
import { FrontDoor } from './front-door.ts'

export interface ScriptedOptions {
  readonly recogniser: Recogniser
  readonly env?: Readonly<Record<string, string>>
  /** Shares this database with others, as a second node does, and leaves it open. */
  readonly database?: OpenTestDatabase
  /** Stands between the service and its database. */
  readonly wrap?: (database: Database) => Database
}

interface Running {
  readonly port: number
  readonly ca: string
  readonly metrics: Registry
  readonly logLines: readonly string[]
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
  readonly drain: (deadlineMs: number) => Promise<void>
  readonly stop: () => Promise<void>

  constructor(database: Database, running: Running) {
    super(running)
    this.database = database
    this.port = running.port
    this.ca = running.ca
    this.metrics = running.metrics
    this.logLines = running.logLines
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

async function run({ database, env }: OpenTestDatabase, options: ScriptedOptions): Promise<Running> {
  const config = readConfig({ ...env, SAUTI_USAGE_READS_PER_MINUTE: '100000', ...options.env })
  const tls = (await loadTls(config, new Date()))!
  const logLines: string[] = []
  // The plain logger, without the service's mask: what we log must be clean before it is masked.
  const log = pino({ level: 'trace' }, { write: line => void logLines.push(line) })
  const metrics = new Registry()
  let isDraining = false
  let port = 0
  const shared = {
    db: options.wrap ? options.wrap(database) : database,
    recogniser: options.recogniser,
    settings: config,
    credentialKey: deriveCredentialKey(SECRET),
    nodeId: randomUUID(),
    isDraining: () => isDraining,
    clock: () => new Date(),
    monotonicMs: () => performance.now(),
    newId: randomUUID,
    log,
    metrics,
  }
  const app = buildApp({ ...shared, publicUrl: () => `https://127.0.0.1:${port}`, tls })
  const streams = await StreamServer.start({
    ...shared,
    journalPath: join(config.dataDir, 'settlements.jsonl'),
  })
  const onError = (error: unknown) => log.warn({ err: error }, 'upkeep failed')
  const upkeep = await startUpkeep({ ...shared, isOnlyNode: false, onError })
  streams.attach(app.server)
  const closeApp = closerOf(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port

  async function drain(deadlineMs: number): Promise<void> {
    isDraining = true
    await streams.drain(deadlineMs)
  }
  async function stop(): Promise<void> {
    await drain(0)
    await closeApp()
    await upkeep.stop()
    await streams.close()
  }
  return { port, ca: readFileSync(tls.authorityFile!, 'utf8'), metrics, logLines, drain, stop }
}
