// Before an engine says that it is ready, every model runs every kind of step: the runtime has then allocated what it needs, the code
// is compiled, and what a step costs on this machine is known.

import {
  chunkSamples,
  DEFAULT_LOOK_AHEAD,
  type LookAhead,
  SAMPLES_PER_MS,
  samplesToMs,
} from '@sauti/protocol/audio'
import type { Model } from '../engine/model.ts'
import { Utterance } from '../engine/utterance.ts'
import type { StepCost, StepCosts } from './capacity.ts'

const UNMEASURED_STEPS = 1
const MEASURED_STEPS = 4
/** In the first run of its kind the runtime plans its memory, and in the second it takes it. */
const TRIED_TOGETHER = 2
/** Decoder and joiner run on code that is compiled a second time, for speed, when it has run some dozens of times. */
const UNMEASURED_PIECES = 60
/**
 * We warm up with noise, which costs less than speech. This is how much less, in runs of decoder and joiner per second of audio, including the
 * search: measured on ARM with the bundled models, eight utterances in turn.
 */
const PIECES_PER_SECOND = 10
/** With a language model there are several hypotheses. */
const LANGUAGE_PIECES_PER_SECOND = 18
/** With a hundred phrases they are carried for longer. */
const BIASED_PIECES_PER_SECOND = 41

/** What is left of an utterance when it ends, on average: half a chunk. */
const FLUSHED_MS = samplesToMs(chunkSamples(DEFAULT_LOOK_AHEAD)) / 2

/** `clock` counts the milliseconds that work costs, whatever else the machine does at the time. The usual look-ahead is among those given. */
export function warmUp(model: Model, lookAheads: readonly LookAhead[], clock: () => number): StepCosts {
  const pieceMs = measurePiece(model, clock)
  const spoken = model.languageModel === undefined ? PIECES_PER_SECOND : LANGUAGE_PIECES_PER_SECOND
  const flushMs = measureFlush(model, clock) + (pieceMs * spoken * FLUSHED_MS) / 1000
  const steps = new Map(lookAheads.map(lookAhead => [lookAhead, measureStep(model, lookAhead, clock)]))
  tryTogether(model)
  const costs: Partial<Record<LookAhead, StepCost>> = {}
  for (const [lookAhead, stepMs] of steps) {
    const piecesMs = (pieceMs * samplesToMs(chunkSamples(lookAhead))) / 1000
    costs[lookAhead] = {
      plainMs: stepMs + piecesMs * spoken,
      biasedMs: stepMs + piecesMs * BIASED_PIECES_PER_SECOND,
      flushMs,
    }
  }
  return costs
}

/** Decoder and joiner, for one piece. */
function measurePiece({ encoder, transducer }: Model, clock: () => number): number {
  const frame = transducer.prepare(new Float32Array(encoder.encodedSize), 1)
  const sayPiece = () => {
    transducer.predict(0, transducer.start)
    transducer.join(frame, 0, 1, transducer.start)
  }
  for (let i = 0; i < UNMEASURED_PIECES; i++) sayPiece()
  return measure(clock, sayPiece)
}

function measureStep(model: Model, lookAhead: LookAhead, clock: () => number): number {
  const samples = noise(chunkSamples(lookAhead))
  const utterance = new Utterance(model)
  const stepMs = measure(clock, () => utterance.hear(samples))
  utterance.release()
  return stepMs
}

function measureFlush(model: Model, clock: () => number): number {
  const rest = noise(FLUSHED_MS * SAMPLES_PER_MS)
  return measure(clock, () => {
    const utterance = new Utterance(model)
    utterance.finish(rest)
    utterance.release()
  })
}

/** As many chunks in one run as possible. What that saves is not known beforehand: it depends on how many wait together. */
function tryTogether(model: Model): void {
  const samples = noise(chunkSamples(DEFAULT_LOOK_AHEAD))
  const parts = Array.from({ length: model.encoder.mostTogether }, () => ({
    utterance: new Utterance(model),
    samples,
  }))
  for (let i = 0; i < TRIED_TOGETHER; i++) Utterance.hearTogether(parts)
  for (const { utterance } of parts) utterance.release()
}

/** The minimum: any disturbance at the start makes a step longer. Where steps really take longer, admission notices it with the first ones. */
function measure(clock: () => number, work: () => void): number {
  let leastMs = Number.POSITIVE_INFINITY
  for (let i = 0; i < UNMEASURED_STEPS + MEASURED_STEPS; i++) {
    const began = clock()
    work()
    if (i >= UNMEASURED_STEPS) leastMs = Math.min(leastMs, clock() - began)
  }
  return leastMs
}

/** The same quiet hiss every time. */
function noise(samples: number): Int16Array {
  let state = 1
  return Int16Array.from({ length: samples }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >> 16) % 512
  })
}
