// One stream of a history, and what its attempt may cost after everything that was sent and answered on it.

import { setTimeout as wait } from 'node:timers/promises'
import { billableMs } from '@sauti/protocol/audio'
import type { StreamClient } from '../support/streams/stream-client.ts'
import type { Attempt, ToldEnd } from './told.ts'

const CLOSE_PATIENCE_MS = 20_000
const TOO_LARGE_BYTES = 70_000

const ENDS: Readonly<Record<number, ToldEnd>> = {
  1000: 'closed',
  1002: 'client fault',
  1007: 'client fault',
  1009: 'client fault',
  1011: 'service fault',
  1012: 'service fault',
  1013: 'service fault',
  4400: 'client fault',
  4402: 'ended',
  4403: 'ended',
  4408: 'ended',
}

export class SpokenStream {
  readonly #client: StreamClient
  readonly #attempt: Attempt
  readonly #reservedMs: number
  #sentSamples = 0
  #isOver = false

  constructor(client: StreamClient, attempt: Attempt) {
    this.#client = client
    this.#attempt = attempt
    this.#reservedMs = attempt.mostBilledMs
    attempt.opened = 'maybe'
    attempt.mostBilledMs = 0
    void client.closed.then(({ code }) => this.#noteClose(code))
  }

  get isOpen(): boolean {
    return !this.#isOver && this.#client.socket.readyState === this.#client.socket.OPEN
  }

  /** The code of the refusal where the service refuses it. */
  async ready(): Promise<string | undefined> {
    try {
      await this.#client.next('ready')
      this.#attempt.opened = 'yes'
    } catch {
      await this.#giveUp()
      return this.#client.errorCodes.at(-1)
    }
    return undefined
  }

  async send(samples: number): Promise<void> {
    if (!this.isOpen) return
    this.#sentSamples += samples
    this.#attempt.mostBilledMs = Math.min(this.#reservedMs, billableMs(this.#sentSamples))
    this.#client.silence(samples)
  }

  async flush(): Promise<void> {
    if (!this.isOpen) return
    this.#client.flush()
    const final = await this.#client.next('final').catch(() => undefined)
    if (final) this.#attempt.leastBilledMs = final.billable_ms
    else await this.#giveUp()
  }

  async reset(): Promise<void> {
    if (!this.isOpen) return
    this.#client.reset()
    if (!(await this.#client.next('reset_ack').catch(() => undefined))) await this.#giveUp()
  }

  async overfill(): Promise<void> {
    if (!this.isOpen) return
    this.#attempt.brokeProtocol = true
    this.#client.audio(Buffer.alloc(TOO_LARGE_BYTES))
    await this.#giveUp()
  }

  async close(): Promise<void> {
    if (this.isOpen) this.#client.socket.close(1000)
    await this.#giveUp()
  }

  async vanish(): Promise<void> {
    this.#client.socket.terminate()
    await this.#client.closed
  }

  /** Waits for the close. */
  async #giveUp(): Promise<void> {
    const over = new AbortController()
    await Promise.race([
      this.#client.closed,
      wait(CLOSE_PATIENCE_MS, undefined, { signal: over.signal }).catch(() => undefined),
    ])
    over.abort()
    this.#client.socket.terminate()
    await this.#client.closed
  }

  /** Its own close says that everything was taken; a refused handshake, that nothing was opened by it. */
  #noteClose(code: number): void {
    this.#isOver = true
    this.#attempt.end = ENDS[code] ?? 'unknown'
    if (this.#attempt.end === 'closed') this.#attempt.leastBilledMs = this.#attempt.mostBilledMs
  }
}
