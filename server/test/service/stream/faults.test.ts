// What goes wrong around a stream, on our side: the database is unavailable, the process is restarted, a node dies, the service drains.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { revokeKey } from '#server/accounts/keys.js'
import type { Database } from '#server/db/port.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { type OpenTestDatabase, openTestDatabase } from '../../support/database/database.ts'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'

const SECOND = 16_000
const recogniser = new ScriptedRecogniser()
let database: OpenTestDatabase
let service: ScriptedService
let account: Customer
/** While true, the service cannot reach its database; the test still can. */
let isDown = false
/** While true, only the service's heartbeat cannot reach it. */
let isMute = false

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
afterEach(() => {
  isDown = false
  isMute = false
  recogniser.setStalled(false)
})

function faulty(real: Database): Database {
  const check = (sql: string) => {
    if (isDown || (isMute && sql.includes('heartbeat_at = ')))
      throw new Error('Connection terminated by the test')
  }
  return {
    ...real,
    query: async (sql, params) => {
      check(sql)
      return real.query(sql, params)
    },
  }
}

function start(env: Record<string, string> = {}): Promise<ScriptedService> {
  return startScriptedService({ recogniser, database, wrap: faulty, env })
}

function wait(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

async function statusOf({ accountId }: Customer): Promise<string> {
  const rows = await database.database.query<{ status: string }>(
    'SELECT status FROM sessions WHERE account_id = $1',
    [accountId],
  )
  return rows[0]!.status
}

describe('a database outage', () => {
  beforeAll(async () => {
    service = await start({
      SAUTI_HEARTBEAT_SECONDS: '0.1',
      SAUTI_NODE_LOST_SECONDS: '0.4',
      SAUTI_REAPER_INTERVAL_SECONDS: '0.05',
    })
  })
  afterAll(() => service.stop())

  it('does not disturb the stream, and the settlement lands when it is over', async () => {
    account = await service.openAccount()
    const client = await service.connect(account)
    client.silence(SECOND)
    await client.next('delta')
    isDown = true
    client.silence(SECOND)
    client.flush()
    expect(await client.next('final')).toMatchObject({ text: 'a'.repeat(20), billable_ms: 2000 })
    await client.close()
    await wait(500)
    expect(await statusOf(account)).toBe('active')
    isDown = false
    expect(await service.ended(account)).toMatchObject({
      status: 'completed',
      audio_ms: 2000,
      billable_ms: 2000,
    })
  })

  it('that lasts longer than a node may be silent does not make the node fail its own sessions', async () => {
    account = await service.openAccount()
    const client = await service.connect(account)
    isDown = true
    await wait(1000)
    isDown = false
    await wait(300)
    client.silence(SECOND)
    client.flush()
    await client.next('final')
    await client.close()
    expect(await service.ended(account)).toMatchObject({ status: 'completed', billable_ms: 1000 })
  })

  it('of a moment delays a handshake', async () => {
    account = await service.openAccount()
    const session = await service.createSession(account)
    isDown = true
    const client = service.open(session)
    await wait(200)
    isDown = false
    await client.next('ready')
    await client.close()
  })

  it('refuses a handshake as our fault, and its credential stays valid', async () => {
    account = await service.openAccount()
    const session = await service.createSession(account)
    isDown = true
    const refused = service.open(session)
    expect(await refused.closed).toEqual({ code: 1011, reason: 'internal_error' })
    isDown = false
    const client = service.open(session)
    await client.next('ready')
    await client.close()
  })
})

describe('a restart with settlements still open', () => {
  it('settles them at the next start, for what was accepted', async () => {
    service = await start()
    account = await service.openAccount()
    const client = await service.connect(account)
    client.silence(1.5 * SECOND)
    client.flush()
    await client.next('final')
    isDown = true
    await client.close()
    await service.stop()
    expect(await statusOf(account)).toBe('active')
    const journal = readFileSync(join(database.env.SAUTI_DATA_DIR!, 'settlements.jsonl'), 'utf8')
    expect(JSON.parse(journal)).toEqual({
      session: expect.any(String),
      ending: 'client_closed',
      samples: 24_000,
      at: expect.any(String),
    })
    isDown = false
    service = await start()
    expect(await service.ended(account)).toMatchObject({
      status: 'completed',
      audio_ms: 1500,
      billable_ms: 2000,
    })
    await service.stop()
  })
})

describe('a node that stops its heartbeat', () => {
  const env = {
    SAUTI_HEARTBEAT_SECONDS: '0.1',
    SAUTI_NODE_LOST_SECONDS: '0.5',
    SAUTI_REAPER_INTERVAL_SECONDS: '0.1',
  }

  it('loses its sessions to a living node: failed, unbilled; and ends them when it learns of it', async () => {
    service = await start(env)
    account = await service.openAccount()
    // Created before the other node starts, so that the session is placed on this one.
    const client = await service.connect(account)
    const other = await startScriptedService({ recogniser, database, env })
    client.silence(SECOND)
    await client.next('delta')
    isMute = true
    expect(await other.ended(account)).toMatchObject({ status: 'failed', billable_ms: 0, reserved_ms: 0 })
    expect(await client.closed).toEqual({ code: 1011, reason: 'internal_error' })
    isMute = false
    expect(await other.ended(account)).toMatchObject({ status: 'failed', billable_ms: 0 })
    await service.stop()
    await other.stop()
  })
})

describe('draining', () => {
  it('refuses new sessions, lets streams run on, then sends last finals and 1012: failed, unbilled', async () => {
    service = await start()
    account = await service.openAccount(600, 5)
    const waiting = await service.createSession(account)
    const client = await service.connect(account)
    client.silence(SECOND)
    await client.next('delta')
    // Time enough for what follows, on a busy machine too.
    const drained = service.drain(5000)
    expect(await service.http('GET', '/readyz')).toMatchObject({ status: 503 })
    expect(
      await service.http('POST', '/v1/asr/sessions', account.key, { model: 'svc-asr-kikuyu-v1' }),
    ).toMatchObject({
      status: 503,
      body: { error: { code: 'server_draining' } },
    })
    expect(await service.open(waiting).closed).toMatchObject({ code: 1006 })
    client.silence(SECOND)
    client.flush()
    expect(await client.next('final')).toMatchObject({ text: 'a'.repeat(20) })
    client.silence(SECOND)
    expect(await client.next('final')).toMatchObject({ text: 'a'.repeat(10), utterance: 2 })
    expect(await client.closed).toEqual({ code: 1012, reason: 'server_restarting' })
    await drained
    await service.stop()
    const [session] = await database.database.query(
      'SELECT status, ending, audio_ms, billable_ms FROM sessions WHERE account_id = $1 AND activated_at IS NOT NULL',
      [account.accountId],
    )
    expect(session).toEqual({ status: 'failed', ending: 'server_restarting', audio_ms: 3000, billable_ms: 0 })
  })

  it('does not wait for an engine that does not answer', async () => {
    service = await start()
    account = await service.openAccount()
    const client = await service.connect(account)
    recogniser.setStalled(true)
    client.silence(SECOND)
    await service.drain(100)
    expect(await client.closed).toEqual({ code: 1012, reason: 'server_restarting' })
    expect(client.all('final')).toEqual([])
    await service.stop()
    expect(await statusOf(account)).toBe('failed')
  })

  it('is over at once when no client is connected', async () => {
    service = await start()
    const started = Date.now()
    await service.drain(60_000)
    expect(Date.now() - started).toBeLessThan(30_000)
    await service.stop()
  })
})

describe('endings that race', () => {
  it('settle a session exactly once', async () => {
    service = await start()
    for (let round = 0; round < 10; round++) {
      account = await service.openAccount()
      const client = await service.connect(account, 1)
      client.silence(SECOND + 100)
      const faults = [
        () => client.socket.close(),
        () => client.socket.terminate(),
        () => [...recogniser.streams].map(stream => stream.die()),
        () => client.audio(Buffer.alloc(70_000)),
        () => revokeKey(database.database, account.keyId, new Date()),
      ]
      await Promise.all(faults.slice(round % 5).map(async fault => fault()))
      await client.closed
      await waitUntilEnded(account)
      const entries = await database.database.query<{ kind: string }>(
        `SELECT kind FROM ledger_entries WHERE account_id = $1 AND kind <> 'grant' ORDER BY id`,
        [account.accountId],
      )
      expect(entries.map(entry => entry.kind)).toEqual(['reserve', expect.stringMatching(/settle|release/)])
    }
    await service.stop()
    expect((await verifyLedger(database.database)).discrepancies).toEqual([])
  })

  async function waitUntilEnded(of: Customer): Promise<void> {
    while ((await statusOf(of)) === 'active') await wait(20)
  }
})
