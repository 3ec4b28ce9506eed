// sauti ledger verify: the audit.

import { type Audit, verifyLedger } from '@sauti/server/ledger/verify.js'
import type { Command, Result } from '../command.ts'
import { withDatabase } from '../with-database.ts'

export const ledgerCommands: readonly Command[] = [
  {
    name: 'ledger verify',
    options: {},
    examples: ['sauti ledger verify', 'sauti ledger verify --json'],
    run: verify,
  },
]

async function verify(): Promise<Result> {
  const audit = await withDatabase(verifyLedger)
  const { accounts, sessions, entries, discrepancies } = audit
  const ok = discrepancies.length === 0
  return {
    json: {
      ok,
      accounts,
      sessions,
      entries,
      discrepancies: discrepancies.map(({ accountId, sessionId, problem }) => ({
        account_id: accountId,
        session_id: sessionId,
        problem,
      })),
    },
    text: describe(audit),
    exitCode: ok ? 0 : 1,
  }
}

function describe({ accounts, sessions, entries, discrepancies }: Audit): string {
  const scope = `${accounts} accounts, ${sessions} sessions, ${entries} entries`
  if (discrepancies.length === 0) return `the ledger agrees: ${scope}`
  const lines = discrepancies.map(
    ({ accountId, sessionId, problem }) =>
      `  account ${accountId}${sessionId ? `, session ${sessionId}` : ''}: ${problem}`,
  )
  return [`the ledger does NOT agree: ${scope}`, ...lines].join('\n')
}
