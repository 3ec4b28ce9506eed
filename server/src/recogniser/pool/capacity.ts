// How many streams run in real time, from the measured cost of a step. A stream's share is the part of a core that it needs; an engine is
// full when the shares of its streams reach its maximum load. The rest is headroom, so that no stream waits long.

import { chunkSamples, type LookAhead, samplesToMs } from '@sauti/protocol/audio'
import type { RecogniserSettings } from '../port.ts'

/**
 * Part of an engine's core that streams may use. Speech comes in even chunks, and streams whose client waits for an answer go first: in
 * simulations, 99 of 100 finals come in time up to here, even while the speed of the machine changes.
 */
export const MAX_LOAD = 0.92

/** Streams with many short utterances use more than was expected of them; beyond this it is a flood, which is served after the others. */
export const MOST_INTENSITY = 2

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
  /** What it takes less where as many chunks as possible are heard together. */
  readonly savedMs: number
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

/** What a step costs less where as many as possible are done together. */
export function savedMs(costs: StepCosts, { lookAhead }: RecogniserSettings): number {
  return costs[lookAhead]?.savedMs ?? 0
}

/** Part of `savedMs` that each chunk saves where `count` of at most `most` are heard together: what they share is divided by them. */
export function savedPart(count: number, most: number): number {
  return most === 1 ? 0 : (1 - 1 / count) / (1 - 1 / most)
}

/**
 * The part of a core that a stream needs; all of it where the cost is not known. What chunks save when they are heard together is not counted:
 * they wait for each other only where answers are late already.
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
