// A session that is not opened in time.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../exchange.ts'
import type { RecordedStream } from '../recorded-stream.ts'
import type { Scene } from '../rule.ts'
import { at } from '../see.ts'
import type { Session } from '../world.ts'

export interface Expiry {
  readonly session: Session
  /** Opened after the credential expired. */
  readonly late: RecordedStream
  readonly bill: unknown
  readonly before: Answer
  readonly after: Answer
  /** With the Idempotency-Key of the session that expired. */
  readonly anew: Answer
}

const MARGIN_MS = 2_000

export const expiry: Scene<Expiry> = {
  name: 'a session that nobody opens',
  cost: { sessions: 2, seconds: 0 },
  slow: true,
  async play(world) {
    const before = await world.usage()
    const key = { 'idempotency-key': randomUUID() }
    const session = await world.session({ max_audio_seconds: 1 }, key)
    // By the clock of the service: what it says it created, and when it says it expires.
    const created = Date.parse(session.answer.headers.date ?? new Date().toISOString())
    const lifetimeMs = Date.parse(String(at(session.answer.json, 'expires_at'))) - created
    await sleep(Math.min(lifetimeMs, 120_000) + MARGIN_MS)
    const late = world.open(session)
    await late.wait(() => false)
    const bill = await world.bill(session)
    const after = await world.usage()
    const anew = await world.order({ max_audio_seconds: 1 }, key)
    return { session, late, bill, before, after, anew }
  },
}
