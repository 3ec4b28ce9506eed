// Checks the rules of the ledger with functions that are changed, one change at a time, on the embedded database. Writes the result of each.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Database } from '#server/db/port.js'
import { openTestDatabase } from '../support/database/database.ts'
import type { Rule } from '../support/ledger-rules/books.ts'
import { KEY_LIMITS } from '../support/ledger-rules/key-limits.ts'
import { RESERVING } from '../support/ledger-rules/reserving.ts'
import { SETTLING } from '../support/ledger-rules/settling.ts'
import { mutateFunction, readFunctions, type SqlMutant } from './mutants.ts'

const MIGRATIONS = new URL('../../migrations/', import.meta.url)
const REPORT = new URL('../../../mutation/dist/sql.json', import.meta.url)

/** The functions that move credit, with those of the rules that speak of each. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  refuse_change: SETTLING,
  apply_entry: [...SETTLING, ...RESERVING],
  refuse_stray_balance: SETTLING,
  end_session: [...SETTLING, ...RESERVING],
  settle_session: SETTLING,
  extend_session: SETTLING,
  key_room_ms: KEY_LIMITS,
  room_of_node: RESERVING,
  place_session: RESERVING,
}

/** `invalid`: the database does not take the function. */
type Outcome = 'killed' | 'survived' | 'invalid'

it('the rules notice what is changed', async () => {
  const sources = readdirSync(MIGRATIONS).sort()
  const functions = readFunctions(sources.map(name => readFileSync(new URL(name, MIGRATIONS), 'utf8')))
  const test = await openTestDatabase()
  const results: (Omit<SqlMutant, 'sql'> & { outcome: Outcome; by?: string })[] = []
  for (const [name, rules] of Object.entries(RULES)) {
    expect(await findBroken(test.database, rules)).toBeUndefined()
    for (const { sql, ...mutant } of mutateFunction(name, functions.get(name)!)) {
      results.push({ ...mutant, ...(await judge(test.database, sql, rules)) })
    }
    await test.database.query(functions.get(name)!)
    // Otherwise a change left rows behind that break a rule by themselves, and what came after it was noticed by accident.
    expect(await findBroken(test.database, rules)).toBeUndefined()
  }
  await test.close()
  mkdirSync(new URL('.', REPORT), { recursive: true })
  writeFileSync(REPORT, JSON.stringify(results, null, 2))
})

async function judge(
  db: Database,
  sql: string,
  rules: readonly Rule[],
): Promise<{ outcome: Outcome; by?: string }> {
  const isTaken = await db.query(sql).then(
    () => true,
    () => false,
  )
  if (!isTaken) return { outcome: 'invalid' }
  const by = await findBroken(db, rules)
  return by === undefined ? { outcome: 'survived' } : { outcome: 'killed', by }
}

/** The first rule that does not hold. */
async function findBroken(db: Database, rules: readonly Rule[]): Promise<string | undefined> {
  for (const [name, check] of rules) {
    try {
      await check(db)
    } catch {
      return name
    }
  }
  return undefined
}
