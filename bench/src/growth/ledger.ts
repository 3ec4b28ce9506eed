// How long the service takes with many sessions in its ledger: to start, to create a session, to read usage, and to verify the ledger.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '@sauti/server/db/migrate.js'
import { openDatabase } from '@sauti/server/db/open.js'
import type { Database } from '@sauti/server/db/port.js'
import { verifyLedger } from '@sauti/server/ledger/verify.js'
import { readConfig } from '@sauti/server/settings/config.js'
import { fillLedger } from '../../../scripts/fill-ledger.mjs'
import { startPostgres } from '../../../scripts/postgres-for-tests.mjs'
import { startServiceProcess } from '../../../scripts/service-process.mjs'
import { quantileOf, round } from '../measure/numbers.ts'
import { call } from './call.ts'
import { createHolder, type Holder } from './holder.ts'

const ROUNDS = 40
const MODEL = 'svc-asr-kikuyu-v1'

export interface LedgerRow {
  readonly database: string
  readonly sessions: number
  readonly creationMs: number
  readonly usageMs: number
  readonly startUpMs: number
  readonly verifyMs: number
}

type Environment = Readonly<Record<string, string>>

export async function growLedger(sizes: readonly number[], database: string): Promise<LedgerRow[]> {
  if (sizes.length === 0) return []
  const folder = mkdtempSync(join(tmpdir(), 'sauti-ledger-'))
  const postgres = database === 'postgres' ? await startPostgres() : undefined
  const env = {
    SAUTI_DATA_DIR: folder,
    SAUTI_HOST: '127.0.0.1',
    SAUTI_PORT: '0',
    SAUTI_SESSION_CREATIONS_PER_MINUTE: '1000000',
    SAUTI_USAGE_READS_PER_MINUTE: '1000000',
    ...(postgres && {
      SAUTI_DATABASE_URL: postgres.url,
      SAUTI_SECRET: randomBytes(48).toString('base64'),
    }),
  }
  try {
    return await growOn(env, sizes, database)
  } finally {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function growOn(env: Environment, sizes: readonly number[], database: string): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = []
  const holder = await withDatabase(env, async db => {
    await migrate(db)
    return createHolder(db)
  })
  console.log('sessions in the ledger | creation ms | usage ms | start-up ms | verify ms')
  for (const [i, sessions] of sizes.entries()) {
    const verifyMs = await withDatabase(env, async db => {
      await fillLedger(db, holder, sessions - (sizes[i - 1] ?? 0))
      return timeOf(async () => {
        const { discrepancies } = await verifyLedger(db)
        if (discrepancies.length > 0) throw new Error(`the ledger is wrong: ${discrepancies[0]!.problem}`)
      })
    })
    const row = { database, sessions, ...(await measureService(env, holder)), verifyMs: round(verifyMs, 1) }
    rows.push(row)
    console.log([sessions, row.creationMs, row.usageMs, row.startUpMs, row.verifyMs].join(' | '))
  }
  return rows
}

async function withDatabase<T>(env: Environment, work: (db: Database) => Promise<T>): Promise<T> {
  const fail = (error: unknown) => {
    throw error
  }
  const db = await openDatabase(readConfig(env), {
    as: 'command',
    onConnectionLost: fail,
    onDatabaseLost: fail,
  })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

async function measureService(env: Environment, { key }: Holder) {
  const began = performance.now()
  const { port, ca, end } = await startServiceProcess(env)
  const startUpMs = performance.now() - began
  const service = { url: `https://127.0.0.1:${port}`, ca, key }
  const creations: number[] = []
  const readings: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    let id = ''
    creations.push(
      await timeOf(async () => {
        id = (await call(service, 'POST', '/v1/asr/sessions', { model: MODEL, max_audio_seconds: 60 })).id
      }),
    )
    await call(service, 'DELETE', `/v1/asr/sessions/${id}`)
    readings.push(await timeOf(() => call(service, 'GET', '/v1/usage')))
  }
  await end('SIGTERM')
  return {
    creationMs: round(quantileOf(creations, 0.5), 2),
    usageMs: round(quantileOf(readings, 0.5), 2),
    startUpMs: round(startUpMs, 0),
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
