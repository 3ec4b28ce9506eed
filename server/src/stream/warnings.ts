// What a client did wrong without ending its session: it is told each time, and only so many times.

import { ERRORS, type ErrorCode, type ErrorEntry, ServiceError } from '@sauti/protocol/errors'
import { MAX_EARLY_AUDIO_FRAMES, MAX_INVALID_MESSAGES } from './settings.ts'

const INVALID: ReadonlySet<ErrorCode> = new Set(['invalid_json', 'unknown_message_type', 'invalid_message'])

export class Warnings {
  readonly #tell: (error: ServiceError) => void
  #invalidMessages = 0
  #earlyAudioFrames = 0

  constructor(tell: (error: ServiceError) => void) {
    this.#tell = tell
  }

  /** Tells the client about an error that does not end the stream; throws on any other, and when there were too many. */
  note(error: unknown): void {
    if (!isWarning(error)) throw error
    if (INVALID.has(error.code)) this.#invalidMessages += 1
    if (error.code === 'audio_before_ready') this.#earlyAudioFrames += 1
    if (this.#invalidMessages >= MAX_INVALID_MESSAGES || this.#earlyAudioFrames >= MAX_EARLY_AUDIO_FRAMES) {
      throw new ServiceError('too_many_invalid_messages')
    }
    this.#tell(error)
  }
}

function isWarning(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (ERRORS[error.code] as ErrorEntry).close === undefined
}
