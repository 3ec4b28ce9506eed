// The whole service with the bundled models, as a process of its own, with accounts for the attacker and its neighbours.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createAccount, setConcurrencyLimit } from '@sauti/server/accounts/accounts.js'
import { createKey } from '@sauti/server/accounts/keys.js'
import { createLogger } from '@sauti/server/log.js'
import { startService } from '@sauti/server/service.js'
import { readConfig } from '@sauti/server/settings/config.js'

const CREDIT_MS = 1e9
const CONCURRENCY = 1000

export interface Announcement {
  readonly url: string
  readonly ca: string
  readonly key: string
}

const service = await startService(readConfig(), {
  log: createLogger('silent', process.stderr),
  onFatal: error => {
    throw error
  },
})
const key = await service.database.transaction(async tx => {
  const accountId = randomUUID()
  const now = new Date()
  await createAccount(tx, { id: accountId, name: 'bench', creditMs: CREDIT_MS, now })
  await setConcurrencyLimit(tx, accountId, CONCURRENCY)
  return createKey(tx, { id: randomUUID(), accountId, name: 'bench', models: null, expiresAt: null, now })
})
process.on('message', async question => {
  if (question === 'memory') process.send!({ rssBytes: process.memoryUsage().rss })
  else await service.stop().then(() => process.exit(0))
})
process.send!({
  url: `https://127.0.0.1:${service.port}`,
  ca: readFileSync(service.authorityFile!, 'utf8'),
  key: key!,
} satisfies Announcement)
