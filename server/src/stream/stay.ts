// What a connection leaves behind, whoever ends it: counts, lines of the log, and the settlement of its session if it had one.

import type { ServiceError } from '@sauti/protocol/errors'
import type { Logger } from 'pino'
import { assessAudio, type StreamEnding } from '../sessions/lifecycle.ts'
import type { OpenSession } from '../sessions/redeem.ts'
import { endingOf } from './failure.ts'
import { Meter } from './meter.ts'
import type { StreamMetrics } from './metrics.ts'

export interface StayParts {
  readonly metrics: StreamMetrics
  readonly log: Logger
  /** Takes over the end of a session: from here on it is settled whatever happens. Resolves when it is. */
  readonly settle: (sessionId: string, ending: StreamEnding, acceptedSamples: number) => Promise<void>
}

export class Stay {
  readonly #parts: StayParts
  /** Of the handshake. */
  readonly #requestId: string
  #session: OpenSession | undefined
  #meter = new Meter(0)

  constructor(requestId: string, parts: StayParts) {
    this.#requestId = requestId
    this.#parts = parts
  }

  get session(): OpenSession | undefined {
    return this.#session
  }

  get meter(): Meter {
    return this.#meter
  }

  begin(session: OpenSession): void {
    this.#session = session
    this.#meter = new Meter(session.reservedMs)
  }

  /** What the failure will be settled as. */
  noteFailure(failure: ServiceError): StreamEnding {
    const { log, metrics } = this.#parts
    if (failure.code === 'internal_error')
      log.error({ ...this.#names, err: failure.cause }, 'a stream failed')
    if (!this.#session) metrics.countRefusal(failure.code)
    return endingOf(failure)
  }

  /** Once, when the session is known or refused. Resolves when it is settled; never rejects. */
  async settle(ending: StreamEnding): Promise<void> {
    const { metrics, log, settle } = this.#parts
    if (!this.#session) return
    const { acceptedSamples } = this.#meter
    metrics.countEnding(ending)
    log.info({ ...this.#names, ending, ...assessAudio(ending, acceptedSamples) }, 'session ended')
    await settle(this.#session.sessionId, ending, acceptedSamples)
  }

  get #names(): { reqId: string; sessionId: string | undefined } {
    return { reqId: this.#requestId, sessionId: this.#session?.sessionId }
  }
}
