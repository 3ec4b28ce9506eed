// sauti backup, sauti restore and sauti migrate-database: the whole database into a file, out of it, and into another database.

import { copyDatabase } from '@sauti/server/db/backup/copy.js'
import { backUp, restore } from '@sauti/server/db/backup/file.js'
import { NotEmptyError } from '@sauti/server/db/backup/write.js'
import { FolderInUseError } from '@sauti/server/db/folder-lock.js'
import { openDatabase } from '@sauti/server/db/open.js'
import type { Database } from '@sauti/server/db/port.js'
import { type Audit, verifyLedger } from '@sauti/server/ledger/verify.js'
import { readCommandConfig } from '@sauti/server/settings/config.js'
import { type Command, Failure, type OptionSpec, type Options, type Result } from '../command.ts'
import { withDatabase } from '../with-database.ts'

const FILE: OptionSpec = { value: 'FILE', description: 'The file of the backup.', required: true }

export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    options: { file: FILE },
    positional: 'file',
    examples: ['sauti backup sauti-2026-01-31.backup'],
    run: writeBackup,
  },
  {
    name: 'restore',
    options: { file: FILE },
    positional: 'file',
    examples: ['SAUTI_DATA_DIR=/var/lib/sauti-restored sauti restore sauti-2026-01-31.backup'],
    run: readBackup,
  },
  {
    name: 'migrate-database',
    options: { to: { value: 'URL', description: 'The address of PostgreSQL.', required: true } },
    positional: 'to',
    examples: ['sauti migrate-database --to postgres://sauti:password@db.example.org/sauti'],
    run: moveToPostgres,
  },
]

async function writeBackup(options: Options): Promise<Result> {
  const file = options.required('file')
  const rows = await withDatabase(db => backUp(db, file))
  return {
    json: { file, rows },
    text:
      `${rows} rows are in ${file}. It holds hashes of keys and passwords: keep it where nobody else reads it. ` +
      'The secret (SAUTI_SECRET, or the file secret in the data folder) is not in it.',
  }
}

async function readBackup(options: Options): Promise<Result> {
  const file = options.required('file')
  const { rows, audit } = await withDatabase(
    async db => ({ rows: await explained(restore(db, file)), audit: await verifyLedger(db) }),
    { migrates: false },
  )
  return describe({ file, rows }, `${rows} rows were restored from ${file}`, audit)
}

async function moveToPostgres(options: Options): Promise<Result> {
  const config = readCommandConfig()
  if (config.databaseUrl !== undefined)
    throw new Failure('SAUTI_DATABASE_URL is set: this service uses PostgreSQL already')
  const from = await openStopped(config)
  try {
    const to = await openDatabase(
      { ...config, databaseUrl: options.required('to') },
      { as: 'command', ...REPORT },
    )
    try {
      const rows = await explained(copyDatabase(from, to))
      const next = `Set SAUTI_DATABASE_URL to this address and SAUTI_SECRET to the content of ${config.dataDir}/secret, and keep the data folder`
      return describe({ rows }, `${rows} rows were copied. ${next}`, await verifyLedger(to))
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

const REPORT = { onConnectionLost: report, onDatabaseLost: report }

function report(error: Error): void {
  console.error(`the database was lost: ${error.message}`)
}

/** As the service itself opens it, so that none can run meanwhile and write what would not be copied. */
async function openStopped(config: ReturnType<typeof readCommandConfig>): Promise<Database> {
  try {
    return await openDatabase(config, { as: 'service', ...REPORT })
  } catch (cause) {
    if (cause instanceof FolderInUseError)
      throw new Failure('the service runs: stop it first, or what it writes meanwhile would be lost', {
        cause,
      })
    throw cause
  }
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    const isKnown = cause instanceof NotEmptyError || (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw isKnown ? new Failure((cause as Error).message, { cause }) : cause
  }
}

function describe(json: object, done: string, { discrepancies }: Audit): Result {
  const ok = discrepancies.length === 0
  const verdict = ok ? 'the ledger agrees' : `the ledger does NOT agree: ${discrepancies.length} differences`
  return { json: { ...json, ok }, text: `${done}. ${verdict}.`, exitCode: ok ? 0 : 1 }
}
