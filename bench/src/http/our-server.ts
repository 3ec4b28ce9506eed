// The control plane in full: its database, TLS, log, figures, upkeep and routes. The recogniser is replaced by one that always says "room for
// everything", because the machine's capacity would refuse sessions long before HTTP or the ledger do.

import { randomUUID } from 'node:crypto'
import { MODEL_IDS } from '@sauti/protocol/models'
import { createAccount, setConcurrencyLimit } from '@sauti/server/accounts/accounts.js'
import { createKey } from '@sauti/server/accounts/keys.js'
import { migrate } from '@sauti/server/db/migrate.js'
import { openDatabase } from '@sauti/server/db/open.js'
import type { Database } from '@sauti/server/db/port.js'
import { buildApp } from '@sauti/server/http/app.js'
import { createLog } from '@sauti/server/log.js'
import { createAddressReader, createClientReader } from '@sauti/server/network/client-address.js'
import { Membership } from '@sauti/server/nodes/membership.js'
import { startUpkeep } from '@sauti/server/nodes/upkeep.js'
import { loadSecrets } from '@sauti/server/secret.js'
import { deriveCredentialKeys } from '@sauti/server/sessions/credential.js'
import { readConfig } from '@sauti/server/settings/config.js'
import { loadTls } from '@sauti/server/tls/tls.js'
import { Registry } from 'prom-client'
import { announce } from './announce.ts'

const ACCOUNTS = 64
const UNLIMITED = 1_000_000
const CREDIT_MS = 1e12
/** As in operation, where sessions end as fast as they begin. Here every session ends, so the ledger does its second half as well. */
const END_INTERVAL_MS = 100

const config = readConfig()
const { logger } = createLog(config)
const fail = (error: unknown) => {
  console.error(error)
  process.exit(1)
}
const db = await openDatabase(config, { as: 'service', onConnectionLost: fail, onDatabaseLost: fail })
await migrate(db)
const tls = (await loadTls(config, new Date()))!
const recogniser = { models: MODEL_IDS, capacity: UNLIMITED, heldBack: 0, openStreams: 0 }
const node = new Membership({
  db,
  version: 'bench',
  settings: config,
  vitals: () => recogniser,
  monotonicMs: () => performance.now(),
  onLoss: loss => fail(new Error(loss)),
})
const clock = () => node.clock.now()
const app = buildApp({
  db,
  recogniser,
  settings: config,
  publicUrl: () => 'https://localhost',
  clientOf: createClientReader(),
  addressOf: createAddressReader(),
  tls,
  credentialKeys: deriveCredentialKeys(loadSecrets(config)),
  node,
  isDraining: () => false,
  clock,
  newId: randomUUID,
  log: logger,
  metrics: new Registry(),
})
await node.join('https://localhost')
startUpkeep({ db, node, clock, settings: config, onDeclaredDead: () => undefined, onError: fail })
const keys = await Promise.all(Array.from({ length: ACCOUNTS }, () => createCustomer(db)))
await app.listen({ host: '127.0.0.1', port: 0 })
announce(app.server, tls, keys, {
  endSessions: () => setInterval(() => endSessions(db).catch(fail), END_INTERVAL_MS),
  stop: async () => app.close(),
})

async function createCustomer(database: Database): Promise<string> {
  const id = randomUUID()
  const now = clock()
  const key = await database.transaction(async tx => {
    await createAccount(tx, { id, name: 'load', creditMs: CREDIT_MS, now })
    await setConcurrencyLimit(tx, id, UNLIMITED)
    return createKey(tx, {
      id: randomUUID(),
      accountId: id,
      name: 'load',
      models: null,
      expiresAt: null,
      now,
    })
  })
  return key!
}

/** Locks accounts in the order of their ids; a creation holds only one, so nobody waits in a circle. */
async function endSessions(database: Database): Promise<void> {
  await database.query(
    `SELECT end_session(id, 'reserved', 'expired', 'never_opened', 0, 0, $1)
     FROM (SELECT id FROM sessions WHERE status = 'reserved' ORDER BY account_id LIMIT 1000) open_sessions`,
    [clock()],
  )
}
