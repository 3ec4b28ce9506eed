// Our service as the image and the systemd unit start it: `sauti serve`, with the bundled models and the embedded database, and an account
// for the bench.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createAccount, setConcurrencyLimit } from '@sauti/server/accounts/accounts.js'
import { createKey } from '@sauti/server/accounts/keys.js'
import { openDatabase } from '@sauti/server/db/open.js'
import { LEAN_MEMORY } from '@sauti/server/settings/lean-memory.js'
import { createSession, type ServiceAddress } from '../floods/session.ts'
import { type Contender, factsOf } from './contender.ts'

const SAUTI = fileURLToPath(new URL('../../../cli/bin/sauti.js', import.meta.url))
const CREDIT_MS = 1e9
const CONCURRENCY = 1000

/** Our service, with what a client needs to know. */
export interface Sauti extends Contender {
  readonly service: ServiceAddress
  readonly pid: number
}

/** Without a core it runs on all of them. */
export async function startSauti(core: string | undefined, dataDir: string): Promise<Sauti> {
  const began = performance.now()
  const child = spawnServe(core, dataDir)
  const { publicUrl, authorityFile } = await readUntilReady(child)
  const facts = factsOf(child, performance.now() - began)
  const service = {
    url: publicUrl,
    ca: readFileSync(authorityFile, 'utf8'),
    key: await createCustomer(dataDir),
  }
  return {
    name: 'sauti',
    ...facts,
    pid: child.pid!,
    service,
    address: model => createSession(service, model),
    async stop() {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    },
  }
}

function spawnServe(core: string | undefined, dataDir: string) {
  const command = [process.execPath, SAUTI, 'serve']
  const [program, ...args] = core === undefined ? command : ['taskset', '-c', core, ...command]
  const child = spawn(program!, args, {
    env: {
      ...LEAN_MEMORY,
      PATH: process.env.PATH,
      SAUTI_DATA_DIR: dataDir,
      SAUTI_HOST: '127.0.0.1',
      SAUTI_PORT: '0',
      SAUTI_SESSION_CREATIONS_PER_MINUTE: '100000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A bench that fails leaves no service behind.
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return child
}

interface Ready {
  readonly publicUrl: string
  readonly authorityFile: string
}

/** Reads on after that, or the service would wait for somebody who takes its log. */
function readUntilReady(child: ChildProcess & { readonly stdout: Readable }): Promise<Ready> {
  return new Promise((resolve, reject) => {
    let publicUrl: string
    createInterface(child.stdout).on('line', line => {
      const entry = JSON.parse(line)
      if (entry.msg === 'the service is ready') publicUrl = entry.publicUrl
      if (entry.authorityFile !== undefined) resolve({ publicUrl, authorityFile: entry.authorityFile })
    })
    child.once('exit', code => reject(new Error(`sauti serve ended with ${code}`)))
  })
}

/** Through the service's own database, as the operator's commands do it. */
async function createCustomer(dataDir: string): Promise<string> {
  const fail = (error: Error) => {
    throw error
  }
  const database = await openDatabase(
    { databaseUrl: undefined, databasePoolSize: 1, dataDir },
    { as: 'command', onConnectionLost: fail, onDatabaseLost: fail },
  )
  const key = await database.transaction(async tx => {
    const accountId = randomUUID()
    const now = new Date()
    await createAccount(tx, { id: accountId, name: 'bench', creditMs: CREDIT_MS, now })
    await setConcurrencyLimit(tx, accountId, CONCURRENCY)
    return createKey(tx, { id: randomUUID(), accountId, name: 'bench', models: null, expiresAt: null, now })
  })
  await database.close()
  return key!
}
