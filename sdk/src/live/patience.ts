// When must a silent connection be considered lost? The WebSocket of a browser does not notice when the network is gone, so we count.

import { BYTES_PER_SAMPLE, SAMPLES_PER_MS } from '@sauti/protocol/audio'

/** Of the limit: after this part of it without any answer to audio, the service is asked to show that it is still there. */
const PROBE_PART = 1 / 3

export class Patience {
  readonly #limitMs: number
  readonly #now: () => number
  #lastSignMs: number
  /** Since when audio has been leaving without any event coming back; silent audio has no answer, so that alone is not an error. */
  #unheardSinceMs: number | undefined
  #busyUntilMs = 0
  #buffered = 0

  constructor(limitMs: number, now: () => number) {
    this.#limitMs = limitMs
    this.#now = now
    this.#lastSignMs = now()
  }

  /** An event came. */
  heard(): void {
    this.#lastSignMs = this.#now()
    this.#unheardSinceMs = undefined
  }

  /** The network lives when it takes bytes off the socket. Nobody waits while it has none and no answer is due. */
  observe(bufferedBytes: number, isWaiting: boolean): void {
    const takesBytes = bufferedBytes < this.#buffered
    if (takesBytes || (bufferedBytes === 0 && !isWaiting)) this.#lastSignMs = this.#now()
    this.#buffered = bufferedBytes
  }

  /** Audio on its way keeps the service busy for at most its own duration. */
  sent(audioBytes: number): void {
    if (audioBytes > 0) this.#unheardSinceMs ??= this.#now()
    const lengthMs = audioBytes / BYTES_PER_SAMPLE / SAMPLES_PER_MS
    this.#busyUntilMs = Math.max(this.#now(), this.#busyUntilMs) + lengthMs
  }

  /** When the answer to a question that leaves now is overdue. */
  dueMs(): number {
    return Math.max(this.#now(), this.#busyUntilMs) + this.#limitMs
  }

  get wantsProbe(): boolean {
    return this.#now() - (this.#unheardSinceMs ?? this.#now()) > this.#limitMs * PROBE_PART
  }

  get isExhausted(): boolean {
    return this.#now() - this.#lastSignMs > this.#limitMs
  }
}
