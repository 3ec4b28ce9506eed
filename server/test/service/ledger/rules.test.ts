// The functions of the ledger, rule by rule. `npm run mutation` checks the same rules with functions that were changed.

import { afterAll, beforeAll, it } from 'vitest'
import { type OpenTestDatabase, openTestDatabase } from '../../support/database/database.ts'
import { KEY_LIMITS } from '../../support/ledger-rules/key-limits.ts'
import { RESERVING } from '../../support/ledger-rules/reserving.ts'
import { SETTLING } from '../../support/ledger-rules/settling.ts'

let test: OpenTestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test.close())

it.each([...RESERVING, ...SETTLING, ...KEY_LIMITS])('%s', (_name, check) => check(test.database))
