// What a client did wrong without ending its session: it is reported each time, up to a limit.

import { isWarning, ServiceError, type WarningCode } from '@sauti/protocol/errors'
import { MAX_EARLY_AUDIO_FRAMES, MAX_INVALID_MESSAGES } from '../settings.ts'

const INVALID: ReadonlySet<WarningCode> = new Set([
  'invalid_json',
  'unknown_message_type',
  'invalid_message',
  'undecodable_audio',
])

export interface Warning {
  readonly code: WarningCode
  readonly message: string
}

export class Warnings {
  #invalidMessages = 0
  #earlyAudioFrames = 0

  /** What the client is told about an error that does not end the stream; throws on any other, and when there were too many. */
  note(error: unknown): Warning {
    if (!(error instanceof ServiceError) || !isWarning(error.code)) throw error
    const { code, message } = error
    if (INVALID.has(code)) this.#invalidMessages += 1
    if (code === 'audio_before_ready') this.#earlyAudioFrames += 1
    if (this.#invalidMessages >= MAX_INVALID_MESSAGES || this.#earlyAudioFrames >= MAX_EARLY_AUDIO_FRAMES) {
      throw new ServiceError('too_many_invalid_messages')
    }
    return { code, message }
  }
}
