// How many streams run in real time, from what a chunk was measured to cost. A stream's share is the part of a core that it needs; an
// engine is full when the shares of its streams reach the part that is lent out. The rest is headroom, so that nobody waits long.

import { chunkSamples, type LookAhead, samplesToMs } from '@sauti/protocol/audio'
import type { RecogniserSettings } from './port.ts'

/** Milliseconds that one step takes. */
export interface StepCost {
  readonly plainMs: number
  /** With phrases: several hypotheses are carried side by side. */
  readonly biasedMs: number
}

export type StepCosts = Readonly<Partial<Record<LookAhead, StepCost>>>

/** The part of a core that a stream needs; all of it where the cost is not known. */
export function streamShare(costs: StepCosts, { lookAhead, phrases }: RecogniserSettings): number {
  const cost = costs[lookAhead]
  if (cost === undefined) return 1
  return (phrases.length > 0 ? cost.biasedMs : cost.plainMs) / samplesToMs(chunkSamples(lookAhead))
}

/** Further streams of `share` that fit beside those that already need `load` of the `lent` part. An idle engine always takes one. */
export function freeSlots(lent: number, load: number, share: number): number {
  if (load === 0) return Math.max(1, Math.floor(lent / share))
  return Math.max(0, Math.floor((lent - load) / share))
}
