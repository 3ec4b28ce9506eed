// Reserves more credit for an open session before the last of it is used, so that a wire without a fixed limit never pauses.

import { setTimeout as wait } from 'node:timers/promises'
import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import type { Meter } from '../conversation/meter.ts'
import { EXHAUSTED_RETRY_MS, EXTEND_BELOW_MS, EXTENSION_RETRY_MS, WAIT_BELOW_MS } from '../settings.ts'

export interface CreditExtensionParts {
  readonly meter: Meter
  /** The milliseconds gained; 0 when there is no more. */
  readonly extend: () => Promise<number>
  readonly onDone: () => void
  readonly onError: (error: unknown) => void
}

type ExtensionState = 'idle' | 'asking' | 'exhausted'

export class CreditExtension {
  readonly #parts: CreditExtensionParts
  #state: ExtensionState = 'idle'

  constructor(parts: CreditExtensionParts) {
    this.#parts = parts
  }

  get isUnderWay(): boolean {
    return this.#state === 'asking'
  }

  /** A frame is cut at the limit, so nothing is taken that could pass it while more is on its way. */
  get mustWait(): boolean {
    return this.isUnderWay && this.#isBelow(WAIT_BELOW_MS)
  }

  startIfLow(): void {
    if (this.#state === 'idle' && this.#isBelow(EXTEND_BELOW_MS)) void this.#ask()
  }

  /** A database that is unavailable is asked again; the client waits meanwhile. */
  async #ask(): Promise<void> {
    const { meter, extend, onDone, onError } = this.#parts
    this.#state = 'asking'
    try {
      const gainedMs = await extend()
      meter.extend(gainedMs)
      this.#state = gainedMs > 0 ? 'idle' : 'exhausted'
      if (gainedMs === 0) void this.#askAgainLater()
    } catch (error) {
      onError(error)
      await wait(EXTENSION_RETRY_MS, undefined, { ref: false })
      this.#state = 'idle'
    }
    onDone()
  }

  /** While the rest is used, another stream of the account may give credit back, or an operator may grant some. */
  async #askAgainLater(): Promise<void> {
    await wait(EXHAUSTED_RETRY_MS, undefined, { ref: false })
    this.#state = 'idle'
  }

  #isBelow(limitMs: number): boolean {
    return this.#parts.meter.roomSamples < limitMs * SAMPLES_PER_MS
  }
}
