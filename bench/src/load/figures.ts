// The figures of a load run, and the lines that report them.

import { mean, quantileOf, round } from '../measure/numbers.ts'
import type { Latencies } from './latency.ts'
import type { Tally, Words } from './tally.ts'
import { type Growth, growthOf, type Sample } from './watch.ts'

export interface Spread {
  readonly count: number
  readonly meanMs: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

interface WordFigures {
  readonly said: number
  readonly errors: number
  readonly errorPercent: number
}

/** The latencies by the names under which others publish them, and our own. */
export interface LatencyFigures {
  readonly flushToFinal: Spread | null
  readonly firstDelta: Spread | null
  readonly deltaBehindAudio: Spread | null
  readonly pipecatTimeToFinalSegment: Spread | null
  readonly firstPartialAfterEndOfSpeech: Spread | null
  readonly firstFinalAfterEndOfSpeech: Spread | null
  readonly wordEmission: Spread | null
}

export interface LoadFigures {
  readonly asked: { readonly streams: number; readonly files: number; readonly minutes: number }
  readonly sessions: number
  readonly utterances: number
  readonly words: WordFigures
  readonly asAlone: { readonly same: number; readonly different: number }
  readonly files: { readonly count: number; readonly words: WordFigures; readonly medianSpeed: number } | null
  readonly latency: LatencyFigures
  readonly errors: Readonly<Record<string, number>>
  /** Absent where the service does not run on this machine. */
  readonly use: {
    readonly frontCores: number
    readonly enginesCores: number
    readonly othersCores: number
    readonly frontMemory: Growth | null
    readonly enginesMemory: Growth | null
    readonly samples: readonly Sample[]
  } | null
}

export function figuresOf(
  asked: LoadFigures['asked'],
  tally: Tally,
  samples: readonly Sample[] | undefined,
): LoadFigures {
  return {
    asked,
    sessions: tally.sessions,
    utterances: tally.latencies.length,
    words: wordFigures(tally.live),
    asAlone: tally.asAlone,
    files:
      tally.fileSpeeds.length === 0
        ? null
        : {
            count: tally.fileSpeeds.length,
            words: wordFigures(tally.inFiles),
            medianSpeed: round(quantileOf(tally.fileSpeeds, 0.5), 1),
          },
    latency: latencyFigures(tally.latencies),
    errors: tally.errors,
    use: samples === undefined || samples.length === 0 ? null : useOf(samples),
  }
}

function latencyFigures(latencies: readonly Latencies[]): LatencyFigures {
  const all = (of: (one: Latencies) => number | readonly number[] | undefined) =>
    spread(latencies.flatMap(one => of(one) ?? []))
  return {
    flushToFinal: all(one => one.flushToFinalMs),
    firstDelta: all(one => one.firstDeltaMs),
    deltaBehindAudio: all(one => one.deltaBehindAudioMs),
    pipecatTimeToFinalSegment: all(one => one.finalSegmentMs),
    firstPartialAfterEndOfSpeech: all(one => one.firstPartialMs),
    firstFinalAfterEndOfSpeech: all(one => one.firstFinalMs),
    wordEmission: all(one => one.wordEmissionMs),
  }
}

function spread(values: readonly number[]): Spread | null {
  if (values.length === 0) return null
  const at = (part: number) => round(quantileOf(values, part), 0)
  return {
    count: values.length,
    meanMs: round(mean(values), 0),
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
  }
}

function wordFigures(words: Words): WordFigures {
  return { said: words.said, errors: words.errors, errorPercent: round(words.errorPercent, 2) }
}

function useOf(samples: readonly Sample[]): NonNullable<LoadFigures['use']> {
  const cores = (of: (one: Sample) => number) => round(mean(samples.map(of)), 3)
  return {
    frontCores: cores(one => one.front),
    enginesCores: cores(one => one.engines),
    othersCores: cores(one => one.others),
    frontMemory: growthOf(samples, one => one.frontMb) ?? null,
    enginesMemory: growthOf(samples, one => one.enginesMb) ?? null,
    samples: samples.map(roundSample),
  }
}

function roundSample(sample: Sample): Sample {
  return {
    seconds: round(sample.seconds, 0),
    streams: sample.streams,
    front: round(sample.front, 2),
    engines: round(sample.engines, 2),
    others: round(sample.others, 2),
    frontMb: round(sample.frontMb, 1),
    enginesMb: round(sample.enginesMb, 1),
  }
}
