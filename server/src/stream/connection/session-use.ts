// The session that a connection uses: its meter, more credit for it where the wire can reserve more, and what is recorded at the end:
// metrics, log lines, and the settlement.

import type { Logger } from 'pino'
import { assessAudio, type StreamEnding } from '../../sessions/lifecycle.ts'
import type { OpenSession } from '../../sessions/redeem.ts'
import { Meter } from '../conversation/meter.ts'
import type { Credit } from '../dialect.ts'
import type { Failure } from '../failure.ts'
import type { StreamMetrics } from '../metrics.ts'
import { CreditExtension } from './credit-extension.ts'

export interface SessionUseParts {
  readonly metrics: StreamMetrics
  readonly log: Logger
  /** Takes over the end of a session: from here on it is settled whatever happens. Resolves when it is. */
  readonly settle: (sessionId: string, ending: StreamEnding, acceptedSamples: number) => Promise<void>
}

export interface SessionUseOptions {
  /** Of the handshake, for the log. */
  readonly requestId: string
  readonly credit: Credit
  /** More audio may be sent than before, or an extension failed. */
  readonly onExtension: () => void
}

export class SessionUse {
  readonly #parts: SessionUseParts
  readonly #options: SessionUseOptions
  #session: OpenSession | undefined
  #meter = new Meter(0)
  #extension: CreditExtension | undefined

  constructor(options: SessionUseOptions, parts: SessionUseParts) {
    this.#options = options
    this.#parts = parts
  }

  get session(): OpenSession | undefined {
    return this.#session
  }

  get meter(): Meter {
    return this.#meter
  }

  /** The client must wait: what it sends now could be beyond what is reserved so far, and more is on its way. */
  get isAwaitingCredit(): boolean {
    return this.#extension?.mustWait ?? false
  }

  /** The reservation is used up and no more will come. */
  get isSpent(): boolean {
    return this.#session !== undefined && this.#meter.roomSamples === 0 && !this.#extension?.isUnderWay
  }

  begin(session: OpenSession): void {
    const { credit, onExtension } = this.#options
    this.#session = session
    this.#meter = new Meter(session.reservedMs)
    if (!credit.extend) return
    const { extend } = credit
    this.#extension = new CreditExtension({
      meter: this.#meter,
      extend: () => extend(session),
      onDone: onExtension,
      onError: error =>
        this.#parts.log.warn({ ...this.#names, err: error }, 'more credit could not be reserved'),
    })
  }

  /** Asks for more credit when little is left. */
  extendIfLow(): void {
    this.#extension?.startIfLow()
  }

  noteFailure(failure: Failure): void {
    const { log, metrics } = this.#parts
    if (failure.code === 'internal_error')
      log.error({ ...this.#names, err: failure.cause }, 'a stream failed')
    if (!this.#session) metrics.countRefusal(failure.code)
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
    return { reqId: this.#options.requestId, sessionId: this.#session?.sessionId }
  }
}
