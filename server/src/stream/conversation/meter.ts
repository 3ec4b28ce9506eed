// Step 4, the meter: how much audio a session has used of its reservation. Pure, counted in samples.

import { billableMs, SAMPLES_PER_MS, samplesToMs } from '@sauti/protocol/audio'

export interface Reading {
  readonly audioMs: number
  readonly billableMs: number
  readonly remainingMs: number
}

export class Meter {
  #limit: number
  #accepted = 0

  constructor(reservedMs: number) {
    this.#limit = reservedMs * SAMPLES_PER_MS
  }

  get acceptedSamples(): number {
    return this.#accepted
  }

  get reservedMs(): number {
    return samplesToMs(this.#limit)
  }

  get roomSamples(): number {
    return this.#limit - this.#accepted
  }

  /** More was reserved for the same session. */
  extend(ms: number): void {
    this.#limit += ms * SAMPLES_PER_MS
  }

  count(samples: number): void {
    this.#accepted += samples
  }

  /** What a client is told. The reservation is whole seconds, so what is billed never exceeds it. */
  read(): Reading {
    return {
      audioMs: samplesToMs(this.#accepted),
      billableMs: billableMs(this.#accepted),
      remainingMs: samplesToMs(this.roomSamples),
    }
  }
}
