// Nodes of the service as processes of their own, with the real models, on one PostgreSQL with a synchronous standby.

import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createAccount, setConcurrencyLimit } from '@sauti/server/accounts/accounts.js'
import { createKey } from '@sauti/server/accounts/keys.js'
import { migrate } from '@sauti/server/db/migrate.js'
import type { Database } from '@sauti/server/db/port.js'
import { openPostgres } from '@sauti/server/db/postgres.js'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../../../scripts/replicated-postgres.mjs'
import { type ServiceProcess, startNodeProcess } from '../../../scripts/service-process.mjs'
import { DatabaseLine } from './database-line.ts'

const UNLIMITED = 1_000_000
const ACCOUNTS = 24
const COUNT_STATEMENTS = ['-c', 'shared_preload_libraries=pg_stat_statements']

export interface RunningNode extends ServiceProcess {
  readonly url: string
  readonly line: DatabaseLine
}

export class Cluster {
  readonly postgres: ReplicatedPostgres
  readonly database: Database
  readonly nodes: RunningNode[] = []
  /** Of accounts of their own: creations of one account wait for each other. */
  readonly keys: string[] = []
  readonly #env: Readonly<Record<string, string>>
  readonly #cleanUp: (() => void)[] = []
  readonly #ended: RunningNode[] = []

  private constructor(postgres: ReplicatedPostgres, database: Database, env: Record<string, string>) {
    this.postgres = postgres
    this.database = database
    this.#env = { ...env, SAUTI_SECRET: randomBytes(48).toString('base64') }
  }

  static async start(size: number, env: Record<string, string>): Promise<Cluster> {
    const postgres = await startReplicatedPostgres({ options: COUNT_STATEMENTS })
    const database = openPostgres({
      connection: postgres.url,
      poolSize: 2,
      statementTimeoutMs: 600_000,
      onConnectionLost: () => undefined,
    })
    await database.query(`ALTER DATABASE postgres SET track_functions = 'pl'`)
    await database.query('CREATE EXTENSION pg_stat_statements')
    await migrate(database)
    const cluster = new Cluster(postgres, database, env)
    for (let index = 0; index < ACCOUNTS; index++) cluster.keys.push(await createCustomer(database))
    for (let index = 0; index < size; index++) await cluster.add()
    return cluster
  }

  async add(more: Readonly<Record<string, string>> = {}): Promise<RunningNode> {
    const line = await DatabaseLine.open(this.postgres.url)
    const own = { SAUTI_DATABASE_URL: line.url, ...more }
    const { url, starting, remove } = await startNodeProcess(this.#env, own)
    this.#cleanUp.push(remove)
    const node = { ...(await starting), url, line }
    this.nodes.push(node)
    return node
  }

  /** Nobody asks it any more; resolves when the process has ended. */
  async end(node: RunningNode, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#ended.push(node)
    this.nodes.splice(this.nodes.indexOf(node), 1)
    await node.end(signal)
    node.line.close()
  }

  /**
   * Also those that have ended, because a client may still hold a session of theirs; and those that only start: others place sessions on a
   * node before it has told us its certificate.
   */
  async find(url: string): Promise<RunningNode> {
    for (;;) {
      const found = [...this.nodes, ...this.#ended].find(node => node.url === url)
      if (found) return found
      await wait(50)
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.nodes].map(node => this.end(node, 'SIGKILL')))
    await this.database.close()
    await this.postgres.stop()
    for (const clean of this.#cleanUp) clean()
  }
}

async function createCustomer(database: Database): Promise<string> {
  const [id, now] = [randomUUID(), new Date()]
  const key = await database.transaction(async tx => {
    await createAccount(tx, { id, name: 'load', creditMs: 1e12, now })
    await setConcurrencyLimit(tx, id, UNLIMITED)
    const rules = { name: 'load', models: null, expiresAt: null }
    return createKey(tx, { id: randomUUID(), accountId: id, ...rules, now })
  })
  return key!
}
