// What must hold after any misuse: every session has ended and was paid for, the ledger balances, and nothing was our fault.

import { expect } from 'vitest'
import { verifyLedger } from '#server/ledger/verify.js'
import type { TestService } from './service.ts'

/** Says only that the machine was too busy for a moment; nothing that a client sends causes it. */
const SLOW_MACHINE = /does not answer the heartbeat in time/

export async function expectAllSettled(service: TestService): Promise<void> {
  await expect.poll(() => countOpenSessions(service), { timeout: 90_000, interval: 200 }).toBe(0)
  expect(await verifyLedger(service.database)).toMatchObject({ discrepancies: [] })
  const problems = service
    .log()
    .split('\n')
    .filter(line => /internal_error|"level":"(error|fatal)"/.test(line) && !SLOW_MACHINE.test(line))
  expect(problems).toEqual([])
}

async function countOpenSessions({ database }: TestService): Promise<number> {
  const [row] = await database.query<{ open: number }>(
    "SELECT count(*)::int AS open FROM sessions WHERE status IN ('reserved', 'active')",
  )
  return row!.open
}
