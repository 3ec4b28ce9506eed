// Which results there are, and what each holds.

import type { EndToEndRow } from '../end-to-end/end-to-end.ts'
import type { NoisyRow } from '../end-to-end/noisy.ts'
import type { EngineFigures } from '../engine/engine.ts'
import type { GrowthFigures } from '../growth/growth.ts'
import type { HttpRow } from '../http/http.ts'
import type { LoadFigures } from '../load/figures.ts'
import type { StartUpRow } from '../start-up/start-up.ts'
import type { StreamFigures } from '../stream/stream.ts'

/** In the order in which pages and plots show them. */
export const ARCHITECTURES = ['x86-64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

export interface Machine {
  readonly processor: string
  readonly architecture: Architecture
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  readonly node: string
}

export interface Recorded<Figures> {
  readonly command: string
  readonly date: string
  readonly commit: string
  readonly machine: Machine
  /** Cores that other programs took just before and just after. */
  readonly others: { readonly before: number; readonly after: number }
  readonly figures: Figures
}

export interface ResultFigures {
  readonly engine: EngineFigures
  readonly stream: StreamFigures
  readonly http: readonly HttpRow[]
  readonly 'end-to-end': readonly EndToEndRow[]
  readonly 'start-up': readonly StartUpRow[]
  readonly growth: GrowthFigures
  readonly noisy: readonly NoisyRow[]
  readonly load: LoadFigures
  /** A load run of two hours. */
  readonly soak: LoadFigures
}

export type ResultName = keyof ResultFigures

/** In the order in which RESULTS.md shows them. */
export const RESULT_NAMES = [
  'end-to-end',
  'engine',
  'stream',
  'http',
  'start-up',
  'growth',
  'noisy',
  'load',
  'soak',
] as const satisfies readonly ResultName[]

/** Those that were recorded on one architecture. */
export type Results = { readonly [Name in ResultName]?: Recorded<ResultFigures[Name]> }

export interface ArchitectureResults {
  readonly architecture: Architecture
  readonly results: Results
}
