// What a subject and the process that measures it agree on.

export const PING_INTERVAL_SECONDS = 15
export const BENCH_SECRET = 'a secret that only the bench knows'

export interface Figures {
  readonly cpuMs: number
  readonly rssBytes: number
  readonly heapBytes: number
  readonly nativeBytes: number
}

/** From the parent. */
export type Question = 'measure' | 'collect garbage and measure'
