// PostgreSQL itself fails over: the primary is killed under load, its synchronous standby is promoted.

import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { openPostgres } from '#server/db/postgres.js'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../../../scripts/replicated-postgres.mjs'
import { expectSurvival } from '../support/service/failover.ts'

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
    const happen = async () => {
      await pair.killPrimary()
      await wait(1000)
      await pair.promoteStandby()
    }
    await expectSurvival({ url: pair.url, happen, cleanUp })
  }, 240_000)
})
