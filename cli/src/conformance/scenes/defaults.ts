// Sessions without a length and with the greatest length, and the same request twice at the same moment.

import { randomUUID } from 'node:crypto'
import type { Answer } from '../exchange.ts'
import type { Scene } from '../rule.ts'
import { readSession, type World } from '../world.ts'

export interface Defaults {
  readonly availableMs: number
  /** `{model}`, sent twice at once with one Idempotency-Key. */
  readonly twins: readonly [Answer, Answer]
  /** The same key, with the default written out. */
  readonly writtenOut: Answer
  readonly longest: Answer
}

export const MAX_SECONDS = 300

export const defaults: Scene<Defaults> = {
  name: 'default and longest session',
  cost: { sessions: 2, seconds: 0 },
  async play(world) {
    const availableMs = Number((await world.usage()).text.match(/"available_ms":\s*(\d+)/)?.[1] ?? 0)
    const key = { 'idempotency-key': randomUUID() }
    const twins = await Promise.all([world.orderPatiently({}, key), world.orderPatiently({}, key)])
    const writtenOut = await world.order({ max_audio_seconds: 60 }, key)
    for (const answer of [...twins, writtenOut]) await giveBack(world, answer)
    const longest = await world.orderPatiently({ max_audio_seconds: MAX_SECONDS })
    await giveBack(world, longest)
    return { availableMs, twins, writtenOut, longest }
  },
}

async function giveBack(world: World, answer: Answer): Promise<void> {
  const session = readSession(answer)
  if (session) await world.end(session)
}
