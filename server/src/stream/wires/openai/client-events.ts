// What a client of OpenAI's realtime interface says in a transcription session. Pure.

import { ServiceError } from '@sauti/protocol/errors'
import { readUpdate, type SessionChange } from './session.ts'

interface Identified {
  /** The client's own id of the event, if it gave one. */
  readonly id: string | null
}

export type ClientEvent = Identified &
  (
    | { readonly type: 'update'; readonly change: SessionChange; readonly isEarlierForm: boolean }
    | { readonly type: 'append'; readonly audio: Buffer }
    | { readonly type: 'commit' }
    | { readonly type: 'clear' }
    | { readonly type: 'invalid'; readonly error: ServiceError }
  )

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const MAX_ID_CHARACTERS = 512

/** Never throws: an error must know the id of the event that caused it. */
export function readClientEvent(text: string): ClientEvent {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch (cause) {
    return { id: null, type: 'invalid', error: new ServiceError('invalid_json', { cause }) }
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return { id: null, type: 'invalid', error: new ServiceError('invalid_message') }
  }
  const fields = message as Record<string, unknown>
  const id = typeof fields.event_id === 'string' ? fields.event_id.slice(0, MAX_ID_CHARACTERS) : null
  try {
    return { ...readFields(fields), id }
  } catch (error) {
    if (error instanceof ServiceError) return { id, type: 'invalid', error }
    throw error
  }
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

function readFields(fields: Readonly<Record<string, unknown>>): WithoutId<ClientEvent> {
  switch (fields.type) {
    case 'session.update':
      return { type: 'update', change: readUpdate(fields.session, false), isEarlierForm: false }
    case 'transcription_session.update':
      return { type: 'update', change: readUpdate(fields.session, true), isEarlierForm: true }
    case 'input_audio_buffer.append':
      return { type: 'append', audio: readAudio(fields.audio) }
    case 'input_audio_buffer.commit':
      return { type: 'commit' }
    case 'input_audio_buffer.clear':
      return { type: 'clear' }
    default:
      throw new ServiceError('unknown_message_type', {
        message: 'The event type is not served in a transcription session.',
      })
  }
}

function readAudio(audio: unknown): Buffer {
  if (typeof audio === 'string' && BASE64.test(audio)) return Buffer.from(audio, 'base64')
  throw new ServiceError('invalid_message', { message: 'audio must be Base64.' })
}
