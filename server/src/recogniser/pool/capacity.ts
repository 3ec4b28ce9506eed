// How many streams run in real time, from the measured cost of a step. A stream's share is the part of a core that it needs; an engine is
// full when the shares of its streams reach its maximum load. The rest is headroom, so that no stream waits long.

import { chunkSamples, type LookAhead, samplesToMs } from '@sauti/protocol/audio'
import type { RecogniserSettings } from '../port.ts'

/**
 * Part of an engine's core that streams may use. Speech comes in even chunks, streams whose client waits for an answer go first, and chunks that
 * wait share a run, which costs less: 99 of 100 finals come in time up to here, in simulations even while the speed of the machine changes.
 */
export const MAX_LOAD = 0.95

/** Streams with many short utterances use more than was expected of them; beyond this it is a flood, which is served after the others. */
export const MOST_INTENSITY = 2
/** People who pause use less, but not all of them pause at the same time for ever. */
export const LEAST_INTENSITY = 0.9

/** From one flush to the next, where people speak in sentences. */
const UTTERANCE_MS = 5000
/** Part of a chunk that is left when an utterance ends, on average. The flush hears it, so it is no chunk of its own. */
const FLUSHED_PART = 0.5

/** Milliseconds that one step takes. */
export interface StepCost {
  readonly plainMs: number
  /** With phrases: several hypotheses are carried side by side. */
  readonly biasedMs: number
  /** The end of an utterance: its rest, and the silence after it. */
  readonly flushMs: number
}

export type StepCosts = Readonly<Partial<Record<LookAhead, StepCost>>>

/** What one step of a stream with these settings costs; as long as its audio where that is not known. */
export function stepMs(costs: StepCosts, { lookAhead, phrases }: RecogniserSettings): number {
  const cost = costs[lookAhead]
  if (cost === undefined) return samplesToMs(chunkSamples(lookAhead))
  return phrases.length > 0 ? cost.biasedMs : cost.plainMs
}

/** What the end of an utterance costs; as much as a step where that is not known. */
export function flushMs(costs: StepCosts, settings: RecogniserSettings): number {
  return costs[settings.lookAhead]?.flushMs ?? stepMs(costs, settings)
}

/**
 * The part of a core that a stream needs; all of it where the cost is not known. What chunks save when they are heard together is not counted
 * beforehand: how many wait together depends on the load.
 */
export function streamShare(costs: StepCosts, settings: RecogniserSettings): number {
  if (costs[settings.lookAhead] === undefined) return 1
  const chunkMs = samplesToMs(chunkSamples(settings.lookAhead))
  const chunks = UTTERANCE_MS / chunkMs - FLUSHED_PART
  return (chunks * stepMs(costs, settings) + flushMs(costs, settings)) / UTTERANCE_MS
}

/** Further streams of `share` that fit beside those that already need `load` of `maxLoad`. An idle engine always takes one. */
export function freeSlots(maxLoad: number, load: number, share: number): number {
  if (load === 0) return Math.max(1, Math.floor(maxLoad / share))
  return Math.max(0, Math.floor((maxLoad - load) / share))
}
