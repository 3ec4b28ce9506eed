// PostgreSQL itself fails over: the primary is killed under load, its synchronous standby is promoted.

import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { AsrSession } from '@sauti/protocol/http'
import { afterEach, describe, expect, it } from 'vitest'
import { openPostgres } from '#server/db/postgres.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../../../scripts/replicated-postgres.mjs'
import { Cluster } from '../support/service/cluster.ts'
import { type Customer, createCustomer } from '../support/service/customer.ts'

const SECOND = 16_000
const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean()
})

async function startPair(): Promise<ReplicatedPostgres> {
  const pair = await startReplicatedPostgres()
  cleanUp.push(() => pair.stop())
  return pair
}

async function untilItWorks<T>(work: () => Promise<T>, patienceMs = 30_000): Promise<T> {
  for (const start = performance.now(); ; await wait(100)) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() - start > patienceMs) throw error
    }
  }
}

/** The process behind an open connection may outlive the killed server for a moment. */
async function untilItFails(work: () => Promise<unknown>): Promise<void> {
  while (
    await work().then(
      () => true,
      () => false,
    )
  )
    await wait(100)
}

describe('an address with several hosts', () => {
  it('leads to the primary, to the promoted standby, and never back to a former primary', async () => {
    const pair = await startPair()
    const database = openPostgres({ connection: pair.url, poolSize: 3, onConnectionLost: () => undefined })
    cleanUp.push(() => database.close())
    await database.query('CREATE TABLE written (word text)')
    await database.query(`INSERT INTO written VALUES ('before')`)
    await pair.killPrimary()
    await untilItFails(() => database.query('SELECT 1'))
    await expect(database.query('SELECT 1')).rejects.toThrow('takes writes')
    await pair.promoteStandby()
    await untilItWorks(() => database.query(`INSERT INTO written VALUES ('after')`))
    await pair.restartOldPrimary()
    const newcomer = openPostgres({ connection: pair.url, poolSize: 3, onConnectionLost: () => undefined })
    cleanUp.push(() => newcomer.close())
    for (const one of [database, newcomer])
      expect(await one.query('SELECT word FROM written')).toEqual([{ word: 'before' }, { word: 'after' }])
  })
})

describe('a failover under load', () => {
  it('loses no acknowledged session, lets streams run on, and creation is back within 15 s', async () => {
    const pair = await startPair()
    const env = { SAUTI_DATABASE_URL: pair.url, SAUTI_SECRET: randomBytes(48).toString('base64') }
    const cluster = await Cluster.start(2, { store: { env, remove: async () => undefined } })
    cleanUp.push(() => cluster.stop())
    const account = await createCustomer(cluster.database, new Date(), {
      creditMs: 60_000_000,
      concurrency: 10_000,
    })
    const streams = await Promise.all(cluster.nodes.map(({ door }) => door.createSession(account, 60)))
    const clients = await Promise.all(streams.map(session => cluster.open(session)))
    for (const client of clients) client.silence(SECOND)

    const load = startLoad(cluster, account)
    await expect.poll(() => load.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(20)
    await pair.killPrimary()
    await wait(1000)
    await pair.promoteStandby()
    const promotedAtMs = performance.now()
    const acknowledgedBefore = load.acknowledged.length
    await expect.poll(() => load.acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(acknowledgedBefore)
    expect(performance.now() - promotedAtMs).toBeLessThan(15_000)
    await load.stop()

    for (const client of clients) {
      client.silence(SECOND)
      client.flush()
      expect(await client.next('final')).toMatchObject({ billable_ms: 2000 })
      await client.close()
    }
    const known = await cluster.database.query<{ id: string }>('SELECT id FROM sessions')
    const ids = new Set(known.map(({ id }) => id))
    expect(load.acknowledged.filter(id => !ids.has(id))).toEqual([])
    const ended = () =>
      cluster.database.query('SELECT status, billable_ms FROM sessions WHERE id = ANY($1::uuid[])', [
        streams.map(({ id }) => id),
      ])
    await expect
      .poll(ended, { timeout: 20_000 })
      .toEqual(streams.map(() => ({ status: 'completed', billable_ms: 2000 })))
    expect((await verifyLedger(cluster.database)).discrepancies).toEqual([])
  }, 240_000)
})

/** Creates sessions on all nodes, one after the other on each, and cancels them, so that capacity is no matter. */
function startLoad(cluster: Cluster, account: Customer) {
  const acknowledged: string[] = []
  let isRunning = true
  const working = cluster.nodes.map(async ({ door }) => {
    while (isRunning) {
      const body = { model: 'svc-asr-kikuyu-v1', max_audio_seconds: 1 }
      const answer = await door
        .http('POST', '/v1/asr/sessions', account.key, body)
        .catch(() => ({ status: 0, body: randomUUID() }))
      if (answer.status !== 201) {
        await wait(100)
        continue
      }
      const { id } = answer.body as AsrSession
      acknowledged.push(id)
      await door.http('DELETE', `/v1/asr/sessions/${id}`, account.key).catch(() => undefined)
    }
  })
  return {
    acknowledged,
    async stop() {
      isRunning = false
      await Promise.all(working)
    },
  }
}
