// The process is killed while a stream runs: the next start, or another node, fails the session and bills nothing.

import { afterEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { readConfig } from '#server/settings/config.js'
import { type ServiceProcess, startServiceProcess } from '../../../../scripts/service-process.mjs'
import {
  createMigratedDatabase,
  currentEngine,
  failOnLoss,
  type TestDatabase,
} from '../../support/database/database.ts'
import { babble } from '../../support/recogniser/test-audio.ts'
import { tinyModelsDir } from '../../support/recogniser/tiny-models.ts'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { FrontDoor } from '../../support/service/front-door.ts'

const models = tinyModelsDir()
const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean()
})

function settings(store: TestDatabase): Record<string, string> {
  return {
    ...store.env,
    SAUTI_PORT: '0',
    SAUTI_MODELS_DIR: models.modelsDir,
    SAUTI_RECOGNISER_WORKERS: '1',
    SAUTI_HEARTBEAT_SECONDS: '0.2',
    SAUTI_NODE_LOST_SECONDS: '1',
    SAUTI_DRAIN_SECONDS: '0.5',
    SAUTI_USAGE_READS_PER_MINUTE: '100000',
  }
}

async function withDatabase<T>(
  env: Record<string, string>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(readConfig(env), { as: 'command', ...failOnLoss })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function startStream(service: ServiceProcess, account: Customer) {
  const client = await new FrontDoor(service).connect(account, 60)
  client.audio(Buffer.from(babble(30_000).buffer))
  client.flush()
  expect(await client.next('final')).toMatchObject({ billable_ms: 2000 })
  client.audio(Buffer.from(babble(30_000).buffer))
  return client
}

/** Each test starts the whole service, which takes its time on a busy machine. */
const TIMEOUT_MS = 180_000

describe('a process', { timeout: TIMEOUT_MS }, () => {
  it('that is killed leaves no slot and no credit behind', async () => {
    const store = await createMigratedDatabase()
    cleanUp.push(() => store.remove())
    const env = settings(store)
    const service = await startServiceProcess(env)
    const account = await withDatabase(env, database =>
      createCustomer(database, new Date(), { creditMs: 600_000 }),
    )
    const client = await startStream(service, account)
    await service.end('SIGKILL')
    expect(await client.closed).toMatchObject({ code: 1006 })
    // On PostgreSQL this is another node; on the embedded database it is the same one, started again.
    const next = await startServiceProcess(env)
    cleanUp.push(() => next.end('SIGKILL'))
    const customers = new FrontDoor(next)
    expect(await customers.ended(account)).toEqual({
      status: 'failed',
      audio_ms: 0,
      billable_ms: 0,
      available_ms: 600_000,
      reserved_ms: 0,
      consumed_ms: 0,
    })
    const again = await startStream(next, account)
    await again.close()
  })

  it('that is asked to stop gives its streams their last finals, and ends by itself', async () => {
    const store = await createMigratedDatabase(currentEngine())
    cleanUp.push(() => store.remove())
    const env = settings(store)
    const service = await startServiceProcess(env)
    const account = await withDatabase(env, database =>
      createCustomer(database, new Date(), { creditMs: 600_000 }),
    )
    const client = await startStream(service, account)
    const exit = service.end('SIGTERM')
    await client.next('final')
    expect(await client.closed).toEqual({ code: 1012, reason: 'server_restarting' })
    expect(await exit).toBe(0)
    const [session] = await withDatabase(env, database =>
      database.query('SELECT status, ending, billable_ms FROM sessions WHERE account_id = $1', [
        account.accountId,
      ]),
    )
    expect(session).toEqual({ status: 'failed', ending: 'server_restarting', billable_ms: 0 })
  })
})
