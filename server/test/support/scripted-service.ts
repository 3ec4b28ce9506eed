// The service as the tests of the stream need it: real HTTP and WebSocket over TLS, a real database, any recogniser.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { AsrSession, CreditBalance, UsageSession } from '@sauti/protocol/http'
import type { ModelId } from '@sauti/protocol/models'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createAccount, setConcurrencyLimit } from '#server/accounts/accounts.js'
import { createKey } from '#server/accounts/keys.js'
import { readConfig } from '#server/config.js'
import type { Database } from '#server/db/port.js'
import { buildApp } from '#server/http/app.js'
import { startUpkeep } from '#server/ledger/upkeep.js'
import type { Recogniser } from '#server/recogniser/port.js'
import { deriveCredentialKey } from '#server/sessions/credential.js'
import { StreamServer } from '#server/stream/server.js'
import { loadTls } from '#server/tls.js'
import { type OpenTestDatabase, openTestDatabase } from './database.ts'
import { StreamClient } from './stream-client.ts'

export interface ServiceOptions {
  readonly recogniser: Recogniser
  readonly env?: Readonly<Record<string, string>>
  /** Shares the database of another service, as a second node does. */
  readonly database?: OpenTestDatabase
  /** Stands between the service and its database. */
  readonly wrap?: (database: Database) => Database
}

export interface TestAccount {
  readonly accountId: string
  readonly keyId: string
  readonly key: string
}

export interface Ended extends Pick<UsageSession, 'status' | 'audio_ms' | 'billable_ms'> {
  readonly available_ms: number
  readonly reserved_ms: number
  readonly consumed_ms: number
}

export class ScriptedService {
  readonly database: OpenTestDatabase
  readonly port: number
  readonly ca: string
  readonly metrics: Registry
  readonly logLines: string[]
  readonly stop: () => Promise<void>
  readonly drain: (ms: number) => Promise<void>

  constructor(
    parts: Pick<ScriptedService, 'database' | 'port' | 'ca' | 'metrics' | 'logLines' | 'stop' | 'drain'>,
  ) {
    this.database = parts.database
    this.port = parts.port
    this.ca = parts.ca
    this.metrics = parts.metrics
    this.logLines = parts.logLines
    this.stop = parts.stop
    this.drain = parts.drain
  }

  async openAccount(seconds = 600, concurrency = 1): Promise<TestAccount> {
    const { database } = this.database
    const now = new Date()
    const accountId = randomUUID()
    const keyId = randomUUID()
    await database.transaction(tx =>
      createAccount(tx, { id: accountId, name: 'test', creditMs: seconds * 1000, now }),
    )
    if (concurrency > 1) await setConcurrencyLimit(database, accountId, concurrency)
    return { accountId, keyId, key: await this.#createKey(keyId, accountId) }
  }

  anotherKey({ accountId }: TestAccount): Promise<string> {
    return this.#createKey(randomUUID(), accountId)
  }

  async #createKey(id: string, accountId: string): Promise<string> {
    const key = { id, accountId, name: 'test', models: null, expiresAt: null, now: new Date() }
    return (await createKey(this.database.database, key))!
  }

  async createSession(
    { key }: TestAccount,
    seconds = 60,
    model: ModelId = 'svc-asr-kikuyu-v1',
  ): Promise<AsrSession> {
    const { status, body } = await this.http('POST', '/v1/asr/sessions', key, {
      model,
      max_audio_seconds: seconds,
    })
    if (status !== 201) throw new Error(`POST answered ${status}: ${JSON.stringify(body)}`)
    return body as AsrSession
  }

  /** A session whose stream is ready. */
  async connect(account: TestAccount, seconds = 60, model?: ModelId): Promise<StreamClient> {
    return StreamClient.ready(await this.createSession(account, seconds, model), this.ca)
  }

  async usage({ key }: TestAccount): Promise<CreditBalance> {
    return (await this.http('GET', '/v1/usage', key)).body as CreditBalance
  }

  /** What the account's newest session came to, once it has ended; settling is not instant. */
  async ended(account: TestAccount, patienceMs = 10_000): Promise<Ended> {
    for (const start = Date.now(); ; await new Promise(resolve => setTimeout(resolve, 20))) {
      const { available_ms, reserved_ms, consumed_ms, recent_sessions } = await this.usage(account)
      const session = recent_sessions[0]!
      if (session.completed_at !== null) {
        const { status, audio_ms, billable_ms } = session
        return { status, audio_ms, billable_ms, available_ms, reserved_ms, consumed_ms }
      }
      if (Date.now() - start > patienceMs) throw new Error(`session is still ${session.status}`)
    }
  }

  async http(
    method: string,
    path: string,
    key?: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown }> {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (key) headers.authorization = `Bearer ${key}`
    const outgoing = request({
      host: '127.0.0.1',
      port: this.port,
      ca: this.ca,
      agent: false,
      method,
      path,
      headers,
    })
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return { status: response.statusCode!, body: JSON.parse(Buffer.concat(chunks).toString()) }
  }
}

export async function startScriptedService({
  recogniser,
  env = {},
  database,
  wrap,
}: ServiceOptions): Promise<ScriptedService> {
  const owned = database ?? (await openTestDatabase())
  const db = wrap ? wrap(owned.database) : owned.database
  const config = readConfig({ ...owned.env, SAUTI_USAGE_READS_PER_MINUTE: '100000', ...env })
  const tls = (await loadTls(config, new Date()))!
  const logLines: string[] = []
  const log = pino({ level: 'debug' }, { write: line => void logLines.push(line) })
  const metrics = new Registry()
  let draining = false
  let port = 0
  const shared = {
    db,
    recogniser,
    settings: config,
    credentialKey: deriveCredentialKey('a secret for tests that is long enough'),
    nodeId: randomUUID(),
    isDraining: () => draining,
    clock: () => new Date(),
    newId: randomUUID,
    log,
    metrics,
  }
  const app = buildApp({ ...shared, publicUrl: () => `https://127.0.0.1:${port}`, tls })
  const stream = await StreamServer.start({
    ...shared,
    monotonicMs: () => performance.now(),
    journalPath: join(config.dataDir, 'settlements.journal'),
  })
  const upkeep = await startUpkeep({
    ...shared,
    isOnlyNode: false,
    onError: error => log.warn({ err: error }, 'upkeep'),
  })
  stream.attach(app.server)
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
  const drain = async (ms: number) => {
    draining = true
    await stream.drain(ms)
  }
  const stop = async () => {
    await drain(0)
    await app.close()
    await stream.close()
    await upkeep.stop()
    if (!database) await owned.close()
  }
  return new ScriptedService({
    database: owned,
    port,
    ca: readFileSync(tls.authorityFile!, 'utf8'),
    metrics,
    logLines,
    stop,
    drain,
  })
}
