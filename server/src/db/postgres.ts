// PostgreSQL behind the port. The embedded engine speaks the same wire, so this pool serves both.

import pg from 'pg'
import type { Database, Params, Queryable, Tx } from './port.ts'

export interface PostgresOptions {
  /** A connection string, or a Unix socket's folder and port for the embedded engine. */
  readonly connection: string | { readonly host: string; readonly port: number }
  readonly poolSize: number
  /** Idle connections may break (restart, network); the pool replaces them, we only want to know. */
  readonly onConnectionLost: (error: Error) => void
}

const INT8_OID = 20

/** A server that vanished without a word must not hold requests for the quarter of an hour that TCP takes to notice. */
const PATIENCE = {
  connectionTimeoutMillis: 30_000,
  query_timeout: 60_000,
  idleTimeoutMillis: 60_000,
  keepAlive: true,
}

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

export function openPostgres({ connection, poolSize, onConnectionLost }: PostgresOptions): Database {
  const target =
    typeof connection === 'string'
      ? { connectionString: connection }
      : { ...connection, user: 'postgres', database: 'postgres' }
  const pool = new pg.Pool({ ...target, ...PATIENCE, max: poolSize, types })
  let isClosing = false
  pool.on('error', error => {
    if (!isClosing) onConnectionLost(error)
  })
  return {
    query: (sql, params) => run(pool, sql, params),
    transaction: work => transaction(pool, work),
    close: () => {
      isClosing = true
      return pool.end()
    },
  }
}

async function run<Row>(client: pg.Pool | pg.PoolClient, sql: string, params: Params = []): Promise<Row[]> {
  const result = await client.query(sql, [...params])
  return result.rows as Row[]
}

async function transaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect()
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
    client.release(broken)
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
