// Files that are being transcribed on this node: few at a time, each paid for, heard and settled, and all of them abandoned when the node
// stops.

import { SAMPLES_PER_MS, samplesToMs } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { Recogniser } from '../recogniser/port.ts'
import type { StreamEnding } from '../sessions/lifecycle.ts'
import type { Config } from '../settings/config.ts'
import { type CreditParts, FileCredit, type FileOrder } from './credit.ts'
import { type DecoderHooks, decode } from './decoder-process.ts'
import { hear, type Utterance } from './hear.ts'

export interface FileJobsParts extends CreditParts {
  readonly recogniser: Recogniser
  readonly log: { info(fields: object, message: string): void }
  readonly settings: Pick<Config, 'filesAtOnce' | 'fileMaxMs'>
  readonly decoder?: DecoderHooks
}

export interface FileRequest extends FileOrder {
  readonly bytes: AsyncIterable<Uint8Array>
  readonly phrases: readonly string[]
  readonly requestId: string
  /** The client has gone. */
  readonly signal: AbortSignal
  /** Called when everything was heard, before it is charged: throws where the client cannot be answered. */
  readonly check: () => void
  /** The session that pays for it is open. */
  readonly onSession?: (sessionId: string) => void
}

export interface FileTranscript {
  readonly sessionId: string
  readonly durationMs: number
  readonly utterances: readonly Utterance[]
}

export class FileJobs {
  readonly #parts: FileJobsParts
  readonly #running = new Set<Promise<unknown>>()
  readonly #stopping = new AbortController()

  constructor(parts: FileJobsParts) {
    this.#parts = parts
  }

  get running(): number {
    return this.#running.size
  }

  /** Throws the reason where it cannot be done; then nothing is charged. */
  async transcribe(request: FileRequest): Promise<FileTranscript> {
    if (this.#stopping.signal.aborted) throw new ServiceError('server_draining')
    if (this.#running.size >= this.#parts.settings.filesAtOnce) throw new ServiceError('capacity_exceeded')
    const work = this.#run(request)
    this.#running.add(work)
    try {
      return await work
    } finally {
      this.#running.delete(work)
    }
  }

  /** Abandons what is running. */
  async stop(): Promise<void> {
    this.#stopping.abort(new ServiceError('server_draining'))
    await Promise.allSettled(this.#running)
  }

  async #run(request: FileRequest): Promise<FileTranscript> {
    const credit = await FileCredit.open(this.#parts, request)
    request.onSession?.(credit.sessionId)
    // Whatever ends the work ends its decoder.
    const over = new AbortController()
    const signal = AbortSignal.any([request.signal, this.#stopping.signal, over.signal])
    let samples = 0
    try {
      const sound = decode(request.bytes, signal, this.#parts.decoder)
      const { recogniser } = this.#parts
      const pay = async (total: number) => {
        await credit.cover(total)
        samples = total
      }
      const longestSamples = this.#parts.settings.fileMaxMs * SAMPLES_PER_MS
      const utterances = await hear(sound, { ...request, recogniser, signal, pay, longestSamples })
      request.check()
      await this.#settle(request, credit, 'file_transcribed', samples)
      return { sessionId: credit.sessionId, durationMs: samplesToMs(samples), utterances }
    } catch (error) {
      await this.#settle(request, credit, endingOf(error, request.signal), samples)
      throw error
    } finally {
      over.abort()
    }
  }

  async #settle(
    request: FileRequest,
    credit: FileCredit,
    ending: StreamEnding,
    samples: number,
  ): Promise<void> {
    const { log } = this.#parts
    const { sessionId } = credit
    log.info({ reqId: request.requestId, sessionId, ending, audioMs: samplesToMs(samples) }, 'file ended')
    await credit.settle(ending, samples)
  }
}

function endingOf(error: unknown, gone: AbortSignal): StreamEnding {
  if (gone.aborted) return 'client_vanished'
  if (!(error instanceof ServiceError)) return 'internal_error'
  switch (error.code) {
    case 'engine_unavailable':
      return 'engine_unavailable'
    case 'server_draining':
      return 'server_restarting'
    default:
      return 'file_refused'
  }
}
