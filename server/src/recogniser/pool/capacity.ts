// How many streams run in real time, from the measured cost of a chunk. A stream's share is the part of a core that it needs; an engine is
// full when the shares of its streams reach its maximum load. The rest is headroom, so that nobody waits long.

import { chunkSamples, type LookAhead, samplesToMs } from '@sauti/protocol/audio'
import type { RecogniserSettings } from '../port.ts'

/** Milliseconds that one step takes. */
export interface StepCost {
  readonly plainMs: number
  /** With phrases: several hypotheses are carried side by side. */
  readonly biasedMs: number
}

export type StepCosts = Readonly<Partial<Record<LookAhead, StepCost>>>

/** What one step of a stream with these settings costs; as long as its audio where that is not known. */
export function stepMs(costs: StepCosts, { lookAhead, phrases }: RecogniserSettings): number {
  const cost = costs[lookAhead]
  if (cost === undefined) return samplesToMs(chunkSamples(lookAhead))
  return phrases.length > 0 ? cost.biasedMs : cost.plainMs
}

/** The part of a core that a stream needs; all of it where the cost is not known. */
export function streamShare(costs: StepCosts, settings: RecogniserSettings): number {
  return stepMs(costs, settings) / samplesToMs(chunkSamples(settings.lookAhead))
}

/** Further streams of `share` that fit beside those that already need `load` of `maxLoad`. An idle engine always takes one. */
export function freeSlots(maxLoad: number, load: number, share: number): number {
  if (load === 0) return Math.max(1, Math.floor(maxLoad / share))
  return Math.max(0, Math.floor((maxLoad - load) / share))
}
