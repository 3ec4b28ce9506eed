// The service through PgBouncer, in both modes that an operator may choose.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { revokeKey } from '#server/accounts/keys.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { chooseUser, findFreePort } from '../../../scripts/postgres-for-tests.mjs'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'
import { isListening } from '../support/processes.ts'
import { isMissing, pathOf } from '../support/programs.ts'
import { Cluster } from '../support/service/cluster.ts'
import { createCustomer } from '../support/service/customer.ts'

const SECOND = 16_000
const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean()
})

/** The same database, reached through a PgBouncer of its own. */
async function throughPgBouncer(store: TestDatabase, mode: string): Promise<TestDatabase> {
  const address = new URL(store.env.SAUTI_DATABASE_URL!)
  const folder = mkdtempSync(join(tmpdir(), 'sauti-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await findFreePort()
  const settings = [
    '[databases]',
    `* = host=${address.hostname} port=${address.port} user=${address.username}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
    ...['auth_type = any', `pool_mode = ${mode}`, 'max_client_conn = 500', 'default_pool_size = 40'],
  ]
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, settings.join('\n'))
  const bouncer = spawn(pathOf('pgbouncer'), ['--quiet', file], { ...chooseUser(), stdio: 'ignore' })
  const exited = once(bouncer, 'exit')
  const remove = async () => {
    bouncer.kill('SIGINT')
    await exited
    rmSync(folder, { recursive: true, force: true })
    await store.remove()
  }
  await expect.poll(() => isListening(port), { timeout: 30_000 }).toBe(true)
  address.port = String(port)
  return { env: { ...store.env, SAUTI_DATABASE_URL: address.href }, remove }
}

describe.skipIf(isMissing('pgbouncer')).each(['session', 'transaction'])('PgBouncer in %s mode', mode => {
  it('carries sessions, streams and settlements, and a revoked key ends its streams within 5 s', async () => {
    const store = await throughPgBouncer(await createTestDatabase('postgres'), mode)
    const cluster = await Cluster.start(2, { store })
    cleanUp.push(() => cluster.stop())
    const account = await createCustomer(cluster.database, new Date(), { concurrency: 10 })
    const sessions = await Promise.all(cluster.nodes.map(({ door }) => door.createSession(account, 30)))
    const clients = await Promise.all(sessions.map(session => cluster.open(session)))
    for (const client of clients) {
      client.silence(SECOND)
      client.flush()
      expect(await client.next('final')).toMatchObject({ billable_ms: 1000 })
    }
    await clients[0]!.close()

    const revokedAtMs = performance.now()
    await revokeKey(cluster.database, account.keyId, new Date())
    expect(await clients[1]!.closed).toEqual({ code: 4403, reason: 'key_revoked' })
    expect(performance.now() - revokedAtMs).toBeLessThan(5000)
    const settled = () =>
      cluster.database.query(`SELECT billable_ms FROM sessions WHERE status NOT IN ('reserved', 'active')`)
    await expect.poll(settled, { timeout: 20_000 }).toEqual([{ billable_ms: 1000 }, { billable_ms: 1000 }])
    expect((await verifyLedger(cluster.database)).discrepancies).toEqual([])
  }, 120_000)
})
