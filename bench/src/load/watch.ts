// CPU and memory of the service while it is under load, and whether its memory stays what it is.

import { lineThrough, mean, type Point, quantileOf } from '../measure/numbers.ts'
import { machineCpuMs, ownCpuMs, type Used, usedBy } from '../measure/processes.ts'

const MOST_SAMPLES = 240
const SHORTEST_INTERVAL_MS = 1000
/** The first part of a run is left out of the line: buffers and caches fill once. */
const WARM_UP_SHARE = 0.25
/** The line goes through the medians of so many parts of the run, so that a decoder that lives for one sample moves nothing. */
const PARTS = 10
/** A shorter time says nothing about growth: buffers, caches and the collector move memory up and down within minutes. */
const SHORTEST_SECONDS = 300
/** Memory is called flat where the line through it grows by less than this over the time that it was watched. */
const FLAT_SHARE = 0.05

export interface Sample {
  readonly seconds: number
  readonly streams: number
  /** Cores. */
  readonly front: number
  readonly engines: number
  /** Cores that other programs took, without this one. */
  readonly others: number
  readonly frontMb: number
  readonly enginesMb: number
}

export interface Growth {
  readonly meanMb: number
  readonly mbPerHour: number
  /** What the line grows by while it was watched. */
  readonly grownMb: number
  /** Null where it was watched for too short a time. */
  readonly isFlat: boolean | null
}

/** Samples until it is stopped. */
export function watchProcesses(pid: number, totalMs: number, streams: () => number): () => Sample[] {
  const samples: Sample[] = []
  const began = performance.now()
  let before = readings(pid)
  const timer = setInterval(
    () => {
      const after = readings(pid)
      samples.push(sampleOf(before, after, (after.at - began) / 1000, streams()))
      before = after
    },
    Math.max(SHORTEST_INTERVAL_MS, totalMs / MOST_SAMPLES),
  )
  return () => {
    clearInterval(timer)
    return samples
  }
}

interface Readings extends Used {
  readonly at: number
  readonly machineMs: number
  readonly ownMs: number
}

function readings(pid: number): Readings {
  return { at: performance.now(), machineMs: machineCpuMs(), ownMs: ownCpuMs(), ...usedBy(pid) }
}

function sampleOf(before: Readings, after: Readings, seconds: number, streams: number): Sample {
  const elapsedMs = after.at - before.at
  // The decoder of a file takes its CPU time with it when it ends.
  const cores = (of: (one: Readings) => number) => Math.max(0, (of(after) - of(before)) / elapsedMs)
  const front = cores(one => one.frontCpuMs)
  const engines = cores(one => one.enginesCpuMs)
  const others = Math.max(0, cores(one => one.machineMs) - cores(one => one.ownMs) - front - engines)
  return { seconds, streams, front, engines, others, frontMb: after.frontMb, enginesMb: after.enginesMb }
}

/** Undefined where there are too few samples for a line. */
export function growthOf(samples: readonly Sample[], of: (sample: Sample) => number): Growth | undefined {
  const settled = samples.slice(Math.floor(samples.length * WARM_UP_SHARE))
  if (settled.length < 3) return undefined
  const { slope } = lineThrough(mediansOf(settled.map(sample => [sample.seconds, of(sample)])))
  const meanMb = mean(settled.map(of))
  const seconds = settled.at(-1)!.seconds - settled[0]!.seconds
  const grownMb = slope * seconds
  const isFlat = seconds < SHORTEST_SECONDS ? null : grownMb < FLAT_SHARE * meanMb
  return { meanMb, mbPerHour: slope * 3600, grownMb, isFlat }
}

/** The points in at most ten parts, one after the other, and the median of each. */
function mediansOf(points: readonly Point[]): Point[] {
  const size = Math.ceil(points.length / PARTS)
  const starts = points.flatMap((_, i) => (i % size === 0 ? [i] : []))
  return starts.map(start => {
    const part = points.slice(start, start + size)
    return [
      mean(part.map(([x]) => x)),
      quantileOf(
        part.map(([, y]) => y),
        0.5,
      ),
    ]
  })
}
