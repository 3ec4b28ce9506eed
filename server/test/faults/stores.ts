// Where an installation keeps its books: the embedded database, or a PostgreSQL behind a network that can fail.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinEmbedded } from '#server/db/embedded.js'
import type { Database } from '#server/db/port.js'
import { openPostgres } from '#server/db/postgres.js'
import { type RunningPostgres, startPostgres } from '../../../scripts/postgres-for-tests.mjs'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'
import { type FaultyNetwork, startFaultyNetwork } from '../support/faults/faulty-network.ts'

export interface Store {
  readonly env: Readonly<Record<string, string>>
  /** Between the service and PostgreSQL. */
  readonly network?: FaultyNetwork
  readonly postgres?: RunningPostgres
  /** Past that network. */
  open(): Promise<Database>
  remove(): Promise<void>
}

/** Of five seconds each. */
const CONNECTION_TRIES = 6

const quietly = { onConnectionLost: () => undefined, onDatabaseLost: () => undefined }

export async function createEmbedded(): Promise<Store> {
  const store: TestDatabase = await createTestDatabase('embedded')
  const dataDir = store.env.SAUTI_DATA_DIR!
  return { ...store, open: () => openPatiently(() => joinEmbedded({ dataDir, poolSize: 1, ...quietly })) }
}

/** What it prints while it is restarted does not matter. */
const QUIET = ['-c', 'log_min_messages=panic']

/** A PostgreSQL of its own, or a database of the one that the tests have. */
export async function createOnPostgres(url?: string): Promise<Store> {
  const [store] = await createForNodes(1, url)
  return store!
}

/** One database, and for each node its own way to it. The last one removes what they share. */
export async function createForNodes(count: number, url?: string): Promise<Store[]> {
  const postgres = url === undefined ? await startPostgres({ options: QUIET }) : undefined
  const direct = url ?? postgres!.url
  const secret = randomBytes(48).toString('base64')
  const stores: Store[] = []
  for (let index = 0; index < count; index++) {
    const store = await createWayTo(direct, secret)
    const isLast = index === count - 1
    stores.push({
      ...store,
      ...(postgres ? { postgres } : {}),
      async remove() {
        await store.remove()
        if (isLast) await postgres?.stop()
      },
    })
  }
  return stores
}

async function createWayTo(direct: string, secret: string): Promise<Store> {
  const network = await startFaultyNetwork()
  network.target = Number(new URL(direct).port)
  const through = new URL(direct)
  through.port = String(network.port)
  const dataDir = mkdtempSync(join(tmpdir(), 'sauti-faults-'))
  return {
    env: { SAUTI_DATABASE_URL: through.href, SAUTI_SECRET: secret, SAUTI_DATA_DIR: dataDir },
    network,
    open: () => openPatiently(async () => openPostgres({ connection: direct, poolSize: 1, ...quietly })),
    async remove() {
      await network.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** On a machine that is busy with faults a connection can take longer than the service would wait: that is no finding. */
async function openPatiently(open: () => Promise<Database>): Promise<Database> {
  for (let tries = 1; ; tries++) {
    let db: Database | undefined
    try {
      db = await open()
      await db.query('SELECT 1')
      return db
    } catch (error) {
      await db?.close()
      if (tries === CONNECTION_TRIES) throw error
    }
  }
}
