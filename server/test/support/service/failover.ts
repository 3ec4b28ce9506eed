// A failover of PostgreSQL under load, whoever promotes the standby: what must be true of sessions, streams and the ledger.

import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { AsrSession } from '@sauti/protocol/http'
import { expect } from 'vitest'
import { verifyLedger } from '#server/ledger/verify.js'
import { Cluster } from './cluster.ts'
import { type Customer, createCustomer } from './customer.ts'

const SECOND = 16_000

export interface Failover {
  /** All servers. */
  readonly url: string
  /** Kills the primary under load; resolves when the standby is promoted. */
  readonly happen: () => Promise<void>
  /** Settings of the nodes. */
  readonly env?: Readonly<Record<string, string>>
  readonly cleanUp: (() => unknown)[]
}

/** No acknowledged session is lost, streams run on, and creation is back within 15 s of the promotion. */
export async function expectSurvival({ url, happen, env = {}, cleanUp }: Failover): Promise<void> {
  const secret = { SAUTI_SECRET: randomBytes(48).toString('base64') }
  const store = { env: { SAUTI_DATABASE_URL: url, ...secret }, remove: async () => undefined }
  const cluster = await Cluster.start(2, { store, env })
  cleanUp.push(() => cluster.stop())
  const rules = { creditMs: 60_000_000, concurrency: 10_000 }
  const account = await createCustomer(cluster.database, new Date(), rules)
  const streams = await Promise.all(cluster.nodes.map(({ door }) => door.createSession(account, 60)))
  const clients = await Promise.all(streams.map(session => cluster.open(session)))
  for (const client of clients) client.silence(SECOND)

  const load = startLoad(cluster, account)
  await expect.poll(() => load.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(20)
  await happen()
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
  const settled = streams.map(() => ({ status: 'completed', billable_ms: 2000 }))
  await expect.poll(ended, { timeout: 20_000 }).toEqual(settled)
  expect((await verifyLedger(cluster.database)).discrepancies).toEqual([])
}

/** Creates sessions on all nodes, one at a time on each, and cancels them, so that capacity does not matter. */
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
