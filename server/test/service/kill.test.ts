// Nothing that was acknowledged is lost when the service is killed under load. SAUTI_TEST_KILLS=20 kills it that often; the check has time
// for fewer.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createAccount, setConcurrencyLimit } from '#server/accounts/accounts.js'
import { createKey } from '#server/accounts/keys.js'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { readConfig } from '#server/settings/config.js'
import { startServiceProcess } from '../../../scripts/service-process.mjs'
import { createMigratedDatabase, failOnLoss, type TestDatabase } from '../support/database/database.ts'
import { tinyModelsDir } from '../support/recogniser/tiny-models.ts'
import { ask } from '../support/service/https.ts'

const KILLS = Number(process.env.SAUTI_TEST_KILLS ?? 6)
const CLIENTS = 8
const HOUR_MS = 3_600_000

async function withDatabase<T>(store: TestDatabase, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(readConfig({ ...store.env }), { as: 'command', ...failOnLoss })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** One account that may have any number of sessions, and its key. */
function createBusyCustomer(db: Database): Promise<string> {
  return db.transaction(async tx => {
    const [accountId, now] = [randomUUID(), new Date()]
    await createAccount(tx, { id: accountId, name: 'busy', creditMs: 10_000 * HOUR_MS, now })
    await setConcurrencyLimit(tx, accountId, 1_000_000)
    const key = await createKey(tx, {
      id: randomUUID(),
      accountId,
      name: 'k',
      models: null,
      expiresAt: null,
      now,
    })
    return key!
  })
}

/** Creates sessions one after the other until the server is gone, and notes the ids of those that were acknowledged. */
async function createSessions(url: string, key: string, agent: Agent, acknowledged: string[]): Promise<void> {
  const call = {
    agent,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-asr-kikuyu-v1', max_audio_seconds: 10 }),
  }
  for (;;) {
    const answer = await ask(url, call).catch(() => undefined)
    if (!answer) return
    if (answer.status === 201) acknowledged.push(JSON.parse(answer.body).id)
  }
}

it(`keeps every acknowledged session and a clean ledger through ${KILLS} kills under load`, async () => {
  const store = await createMigratedDatabase()
  const models = tinyModelsDir()
  const env = {
    ...store.env,
    SAUTI_PORT: '0',
    SAUTI_MODELS_DIR: models.modelsDir,
    SAUTI_RECOGNISER_WORKERS: '1',
    SAUTI_SESSION_CREATIONS_PER_MINUTE: '1000000',
  }
  const keys: string[] = []
  await withDatabase(store, async db => {
    while (keys.length < CLIENTS) keys.push(await createBusyCustomer(db))
  })

  const acknowledged: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await startServiceProcess(env)
    const agent = new Agent({
      ca: readFileSync(join(store.env.SAUTI_DATA_DIR!, 'tls/ca.pem')),
      keepAlive: true,
    })
    const url = `https://127.0.0.1:${service.port}/v1/asr/sessions`
    const enough = acknowledged.length + CLIENTS
    const clients = keys.map(key => createSessions(url, key, agent, acknowledged))
    while (acknowledged.length < enough) await sleep(5)
    await sleep(Math.random() * 200)
    await service.end('SIGKILL')
    await Promise.all(clients)
    agent.destroy()
  }

  const { found, audit } = await withDatabase(store, async db => ({
    found: await db.query<{ id: string }>('SELECT id FROM sessions WHERE id = ANY($1)', [acknowledged]),
    audit: await verifyLedger(db),
  }))
  expect(found).toHaveLength(acknowledged.length)
  expect(audit.discrepancies).toEqual([])
  models.remove()
  await store.remove()
}, 900_000)
