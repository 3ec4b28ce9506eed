// PostgreSQL under Patroni: a leader whose machine loses power is replaced automatically, comes back as a standby, and leads again
// when an operator says so. Nobody promotes by hand, and the service is told nothing.

import { afterEach, describe, expect, it } from 'vitest'
import { openPostgres } from '#server/db/postgres.js'
import { type PatroniCluster, startPatroni } from '../../../scripts/patroni-for-tests.mjs'
import { isMissing } from '../support/programs.ts'
import { expectSurvival } from '../support/service/failover.ts'

/** Patroni waits 20 s for a silent leader: neither that nor a slow machine may end the streams before it is over. */
const PATIENCE = { SAUTI_IDLE_TIMEOUT_SECONDS: '600', SAUTI_DATABASE_PATIENCE_SECONDS: '120' }
const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean()
})

async function start(): Promise<PatroniCluster> {
  const cluster = await startPatroni()
  cleanUp.push(() => cluster.stop())
  return cluster
}

describe.skipIf(isMissing('patroni'))('with Patroni', () => {
  it('a dead leader costs no acknowledged session and no stream, and creation is back within 15 s', async () => {
    const cluster = await start()
    const happen = async () => {
      await cluster.killLeader()
      await cluster.waitForPromotion()
    }
    await expectSurvival({ url: cluster.url, happen, env: PATIENCE, cleanUp })
  }, 300_000)

  it('writes follow the leader: after its death, when it is back as a standby, and after a planned switch', async () => {
    const cluster = await start()
    const database = openPostgres({ connection: cluster.url, poolSize: 3, onConnectionLost: () => undefined })
    cleanUp.push(() => database.close())
    const write = (word: string) =>
      expect.poll(() => writeOnce(word), { timeout: 60_000, interval: 200 }).toBe(true)
    const writeOnce = async (word: string) => {
      await database.query('INSERT INTO written VALUES ($1) ON CONFLICT DO NOTHING', [word])
      return true
    }
    await database.query('CREATE TABLE written (word text PRIMARY KEY)')
    await write('at first')
    await cluster.killLeader()
    await cluster.waitForPromotion()
    await write('after its death')
    await cluster.restartOldLeader()
    await write('beside a new standby')
    await cluster.switchOver()
    await write('after the switch')
    const words = await database.query<{ word: string }>('SELECT word FROM written')
    expect(words.map(({ word }) => word)).toEqual([
      'at first',
      'after its death',
      'beside a new standby',
      'after the switch',
    ])
  }, 300_000)
})
