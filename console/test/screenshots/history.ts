// A month of use, so that charts and tables show what they look like in earnest. Written past the service: nobody can wait a month.

import { randomUUID } from 'node:crypto'
import { MODEL_IDS } from '@sauti/protocol/models'
import type { Site } from '../support/site.ts'

const DAYS = 30
const DAY_MS = 86_400_000
const COMPLETED = { status: 'completed', ending: 'client_closed', isBilled: true }
const FAILED = { status: 'failed', ending: 'engine_unavailable', isBilled: false }

export async function fillHistory(site: Site, accountId: string, keyId: string): Promise<void> {
  const now = Date.now()
  const days = Array.from({ length: DAYS }, (_, day) => day).filter(day => day % 7 < 5)
  for (const day of days) {
    for (const part of [0, 1, 2].slice(day % 3)) {
      const at = new Date(now - day * DAY_MS - part * 3_600_000)
      const seconds = 40 + ((day * 37 + part * 61) % 160)
      const { status, ending, isBilled } = day % 9 === 4 && part === 2 ? FAILED : COMPLETED
      await site.database.query(
        `INSERT INTO sessions (id, account_id, api_key_id, model, status, reserved_ms, audio_ms, billable_ms, created_at,
                               expires_at, activated_at, completed_at, ending, node_id)
         VALUES ($1, $2, $3, $4, $5, 300000, $6, $7, $8, $8, $8, $8, $10, $9)`,
        [
          ...[randomUUID(), accountId, part === 1 ? null : keyId, MODEL_IDS[day % 2]],
          ...[status, seconds * 1000 - 400, isBilled ? seconds * 1000 : 0],
          ...[at, randomUUID(), ending],
        ],
      )
    }
  }
}
