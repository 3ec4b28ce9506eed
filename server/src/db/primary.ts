// Which of several PostgreSQL servers takes writes now. Each has a pool of its own; the one that is the primary is used until it fails,
// and then all are asked again.

import pg from 'pg'

/** How long a server may take to say whether it is the primary: one that vanished must not hold up the search. */
const PROBE_TIMEOUT_MS = 3_000

interface Answer {
  readonly pool: pg.Pool
  readonly timeline: number
}

/** As PostgreSQL says it when it cannot take connections: worth a retry. */
export class NoPrimaryError extends Error {
  readonly code = '57P03'

  constructor(hosts: number) {
    super(`none of the ${hosts} database servers takes writes`)
    this.name = 'NoPrimaryError'
  }
}

export class PrimaryFinder {
  readonly #pools: readonly pg.Pool[]
  #current: pg.Pool | undefined
  #search: Promise<pg.Pool> | undefined
  /** A promotion begins a new timeline. A server on an older one than was ever seen is a former primary that knows nothing of it. */
  #newestTimeline = 0

  constructor(pools: readonly pg.Pool[]) {
    this.#pools = pools
    if (pools.length === 1) this.#current = pools[0]
  }

  /** Rejects with NoPrimaryError while there is none. */
  async find(): Promise<pg.Pool> {
    if (this.#current) return this.#current
    this.#search ??= this.#ask().finally(() => {
      this.#search = undefined
    })
    return this.#search
  }

  /** It failed like a server that is unreachable or was demoted: the next query asks all servers again. */
  suspect(pool: pg.Pool): void {
    if (this.#pools.length > 1 && pool === this.#current) this.#current = undefined
  }

  async #ask(): Promise<pg.Pool> {
    const answers = await Promise.all(this.#pools.map(probe))
    const primaries = answers.filter(answer => answer !== undefined)
    const newest = primaries.sort((a, b) => b.timeline - a.timeline)[0]
    if (!newest || newest.timeline < this.#newestTimeline) throw new NoPrimaryError(this.#pools.length)
    this.#newestTimeline = newest.timeline
    this.#current = newest.pool
    return newest.pool
  }
}

/** Undefined when the server does not answer, or is a standby. */
async function probe(pool: pg.Pool): Promise<Answer | undefined> {
  // A connection of its own: those of the pool may hang.
  const client = new pg.Client({
    ...pool.options,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ walFile: string | null }>(
      'SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END AS "walFile"',
    )
    const walFile = rows[0]?.walFile
    // The name of a file of the log begins with its timeline, in hexadecimal.
    return walFile ? { pool, timeline: Number.parseInt(walFile.slice(0, 8), 16) } : undefined
  } catch {
    return undefined
  } finally {
    client.end().catch(() => undefined)
  }
}
