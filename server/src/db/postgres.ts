// PostgreSQL behind the port. The embedded database speaks the same wire protocol, so this pool serves both.

import pg from 'pg'
import { splitAddress } from './addresses.ts'
import { startListener } from './listener.ts'
import { isDatabaseOutage } from './outage.ts'
import type { Database, Params, Queryable, Tx } from './port.ts'
import { PrimaryFinder } from './primary.ts'

export interface PostgresOptions {
  /** A connection string, with one host or several, or a Unix socket's folder and port for the embedded database. */
  readonly connection: string | { readonly host: string; readonly port: number }
  readonly poolSize: number
  /** How long a single statement may take. */
  readonly statementTimeoutMs?: number
  /** Idle connections may break (restart, network); the pool replaces them, and this only reports it. */
  readonly onConnectionLost: (error: Error) => void
}

const INT8_OID = 20

/** A server that vanished without closing its connections must not hold requests for the quarter of an hour that TCP takes to notice. */
const PATIENCE = {
  connectionTimeoutMillis: 5_000,
  /** Of the statements of a transaction: a migration of a large table takes its time. */
  query_timeout: 600_000,
  idleTimeoutMillis: 60_000,
  keepAlive: true,
}
const STATEMENT_TIMEOUT_MS = 60_000

/** Amounts and counts are bigint in SQL; anything beyond 2^53 would be a corrupted ledger, not a number to round. */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint out of range: ${text}`)
  return value
}

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8_OID && format !== 'binary') return parseInt8
    return pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

export function openPostgres(options: PostgresOptions): Database {
  const { connection, poolSize, statementTimeoutMs = STATEMENT_TIMEOUT_MS, onConnectionLost } = options
  let isClosing = false
  const pools = targetsOf(connection).map(
    target => new pg.Pool({ ...target, ...PATIENCE, max: poolSize, types }),
  )
  const primary = new PrimaryFinder(pools)
  for (const pool of pools) {
    pool.on('error', error => {
      primary.suspect(pool)
      if (!isClosing) onConnectionLost(error)
    })
  }

  async function onPrimary<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> {
    const pool = await primary.find()
    try {
      return await work(pool)
    } catch (error) {
      if (isDatabaseOutage(error)) primary.suspect(pool)
      throw error
    }
  }

  async function connectToPrimary(): Promise<pg.Client> {
    const client = new pg.Client({ ...(await primary.find()).options, query_timeout: PATIENCE.query_timeout })
    await client.connect()
    return client
  }

  return {
    query: (sql, params) => onPrimary(pool => run(pool, sql, params, statementTimeoutMs)),
    transaction: work => onPrimary(pool => transaction(pool, work)),
    listen: (channel, onNotice) => startListener(connectToPrimary, channel, onNotice),
    async close() {
      isClosing = true
      await Promise.all(pools.map(pool => pool.end()))
    },
  }
}

function targetsOf(connection: PostgresOptions['connection']): pg.PoolConfig[] {
  if (typeof connection !== 'string') return [{ ...connection, user: 'postgres', database: 'postgres' }]
  return splitAddress(connection).map(connectionString => ({ connectionString }))
}

async function run<Row>(
  client: pg.Pool | pg.PoolClient,
  sql: string,
  params: Params = [],
  timeoutMs?: number,
): Promise<Row[]> {
  const limit = timeoutMs === undefined ? {} : { query_timeout: timeoutMs }
  const result = await client.query({ text: sql, values: [...params], ...limit })
  return result.rows as Row[]
}

async function transaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  // The next statement says so, too; an event that nobody listens to would end the process, with all its streams.
  const ignoreLoss = () => undefined
  client.on('error', ignoreLoss)
  const query: Queryable['query'] = (sql, params) => run(client, sql, params)
  let broken: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work({ isTransaction: true, query })
    await client.query('COMMIT')
    return result
  } catch (error) {
    broken = await rollback(client)
    throw error
  } finally {
    // From here on the pool listens.
    client.release(broken)
    client.off('error', ignoreLoss)
  }
}

/** A connection that cannot even roll back is thrown away rather than given to the next transaction. */
async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
