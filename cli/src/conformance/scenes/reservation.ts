// A reservation that is never opened: created, created again with the same Idempotency-Key, a second session refused beside it, and cancelled.

import { randomUUID } from 'node:crypto'
import type { Answer } from '../exchange.ts'
import type { Scene } from '../rule.ts'
import { readSession, type Session, type World } from '../world.ts'

export interface Reservation {
  readonly before: Answer
  readonly created: Answer
  readonly session: Session | undefined
  /** While it is reserved. */
  readonly during: Answer
  readonly replayed: Answer
  readonly afterReplay: Answer
  readonly conflicting: Answer
  /** A second session of the account. */
  readonly neighbour: Answer
  readonly cancelled: Answer
  readonly cancelledAgain: Answer
  readonly unknown: Answer
  readonly after: Answer
  /** With the same key, after the session was given back. */
  readonly anew: Answer
}

export const RESERVED_SECONDS = 2

export const reservation: Scene<Reservation> = {
  name: 'a reservation',
  cost: { sessions: 2, seconds: 0 },
  async play(world) {
    const before = await world.usage()
    // All characters that a key may have, as many as it may have.
    const key = { 'idempotency-key': `Az09._:-${randomUUID()}`.padEnd(128, 'k') }
    const order = { max_audio_seconds: RESERVED_SECONDS }
    const { answer: created } = await world.session(order, key)
    const session = readSession(created)
    const during = await world.usage()
    const replayed = await world.order(order, key)
    const afterReplay = await world.usage()
    const conflicting = await world.order({ max_audio_seconds: RESERVED_SECONDS + 1 }, key)
    const neighbour = await world.order({ max_audio_seconds: 1 })
    const stray = readSession(neighbour)
    if (stray && stray.id !== session?.id) await world.end(stray)
    const cancelled = await cancel(world, session?.id ?? '')
    const cancelledAgain = await cancel(world, session?.id ?? '')
    const after = await world.usage()
    const anew = await world.order(order, key)
    const unknown = await cancel(world, randomUUID())
    return {
      before,
      created,
      session,
      during,
      replayed,
      afterReplay,
      conflicting,
      neighbour,
      cancelled,
      cancelledAgain,
      unknown,
      after,
      anew,
    }
  },
}

function cancel(world: World, id: string): Promise<Answer> {
  return world.ask({ method: 'DELETE', path: `/v1/asr/sessions/${id}` })
}
