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

  /** What the client is told about an error that does not end the stream; nothing when there were too many. Throws on any other error. */
  note(error: unknown): Warning | undefined {
    if (!(error instanceof ServiceError) || !isWarning(error.code)) throw error
    const { code, message } = error
    if (INVALID.has(code)) this.#invalidMessages += 1
    if (code === 'audio_before_ready') this.#earlyAudioFrames += 1
    const isTooMany =
      this.#invalidMessages >= MAX_INVALID_MESSAGES || this.#earlyAudioFrames >= MAX_EARLY_AUDIO_FRAMES
    return isTooMany ? undefined : { code, message }
  }
}
