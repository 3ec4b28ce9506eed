// What a client asks for: its frames become requests of the stage, in their order. For what it does wrong it gets a warning.

import { isWarning, ServiceError } from '@sauti/protocol/errors'
import type { DueRequest, Stage, StageRequest } from '../conversation/stage.ts'
import { type Warning, Warnings } from '../conversation/warnings.ts'
import type { Dialect, StreamRequest } from '../dialect.ts'
import type { FinishReason } from './connection-state.ts'

export interface ClientRequestsParts {
  readonly dialect: Dialect
  /** The stage of the moment. */
  readonly stage: () => Stage
  /** Whether the client may still ask for something. */
  readonly isListening: () => boolean
  readonly isStreaming: () => boolean
  readonly tell: (text: string) => void
  readonly warn: (warning: Warning) => void
  readonly finish: (reason: FinishReason) => void
}

export class ClientRequests {
  readonly #parts: ClientRequestsParts
  readonly #warnings = new Warnings()

  constructor(parts: ClientRequestsParts) {
    this.#parts = parts
  }

  /** What follows the last request that is taken is not taken any more. */
  frame(bytes: Buffer, isBinary: boolean): void {
    if (!this.#parts.isListening()) return
    const requests = this.#read(bytes, isBinary)
    this.#attempt(() => {
      for (const request of requests) this.#take(request)
    })
  }

  /** What was kept until `ready`. */
  early(requests: readonly StageRequest[]): void {
    for (const request of requests) this.#attempt(() => this.#take(request))
  }

  /** The answer to the oldest packet that is being decoded. */
  decoded(samples: Int16Array<ArrayBuffer> | undefined): void {
    this.#perform(this.#parts.stage().decoded(samples))
  }

  /** Answers of voice detection. */
  voice(likelihoods: readonly number[]): void {
    this.#perform(this.#parts.stage().voice(likelihoods))
  }

  #perform(due: readonly DueRequest[]): void {
    for (const request of due) {
      if (this.#parts.isStreaming()) this.#attempt(() => this.#finishIf(this.#parts.stage().perform(request)))
    }
  }

  #read(bytes: Buffer, isBinary: boolean): readonly (StreamRequest | StageRequest)[] {
    try {
      return this.#parse(bytes, isBinary)
    } catch (error) {
      if (error instanceof ServiceError && isWarning(error.code)) return [{ type: 'invalid', error }]
      throw error
    }
  }

  #parse(bytes: Buffer, isBinary: boolean): readonly StreamRequest[] {
    const { dialect } = this.#parts
    if (!isBinary && bytes.length > dialect.maxTextBytes) throw new ServiceError('message_too_large')
    return dialect.parse(bytes, isBinary)
  }

  #take(request: StreamRequest | StageRequest): void {
    const { isListening, tell, stage } = this.#parts
    if (!isListening()) return
    if (request.type === 'notice') tell(request.text)
    else this.#finishIf(stage().request(request))
  }

  #finishIf(reason: FinishReason | undefined): void {
    if (reason) this.#parts.finish(reason)
  }

  #attempt(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#refuse(error)
    }
  }

  /** What the stage refuses is told in its turn. */
  #refuse(error: unknown): void {
    const { stage, warn, finish } = this.#parts
    const warning = this.#warnings.note(error)
    if (warning) stage().refuse(() => warn(warning))
    else finish('too_many_invalid_messages')
  }
}
