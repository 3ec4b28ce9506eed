// Ended sessions with their entries, as an account has them after years: for tests and benches of growth.

import { randomUUID } from 'node:crypto'

const SESSION_MS = 1000

/** In the order of real sessions: the oldest first, and of each its reservation before its settlement. */
const FILL = `
  WITH made AS (
    INSERT INTO sessions (id, account_id, api_key_id, model, status, reserved_ms, audio_ms, billable_ms, created_at, expires_at,
                          activated_at, completed_at, ending, node_id, node_url)
    SELECT gen_random_uuid(), $1, $2, 'svc-asr-kikuyu-v1', 'completed', $5, $5, $5, at, at + interval '60 s', at, at, 'client_closed', $3,
      'https://sauti.test'
    FROM (SELECT now() - n * interval '10 s' AS at FROM generate_series($4, 1, -1) n) moments RETURNING id, created_at
  )
  INSERT INTO ledger_entries (account_id, session_id, kind, available_ms, reserved_ms, consumed_ms, created_at)
  SELECT $1, id, kind, available, reserved, consumed, created_at
  FROM made, LATERAL (VALUES ('reserve', -$5, $5, 0), ('settle', 0, -$5, $5)) entries (kind, available, reserved, consumed)`

/** Written at once, with the balance moved once: the triggers that do it entry by entry are off meanwhile. */
export async function fillLedger(db, { accountId, apiKeyId }, sessions) {
  await db.transaction(async tx => {
    await tx.query('ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_move_balance')
    await tx.query(FILL, [accountId, apiKeyId, randomUUID(), sessions, SESSION_MS])
    await tx.query('ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_move_balance')
    await tx.query('ALTER TABLE accounts DISABLE TRIGGER USER')
    await tx.query(
      'UPDATE accounts SET available_ms = available_ms - $2, consumed_ms = consumed_ms + $2 WHERE id = $1',
      [accountId, sessions * SESSION_MS],
    )
    await tx.query('ALTER TABLE accounts ENABLE TRIGGER USER')
  })
  await db.query('ANALYZE')
}
