// OpenAI's realtime transcription on one connection. Everything is JSON: audio comes as Base64, an utterance is an item of the conversation.

import { BYTES_PER_SAMPLE, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import {
  type CloseErrorCode,
  type ErrorCode,
  isWarning,
  type OrderErrorCode,
  ServiceError,
} from '@sauti/protocol/errors'
import type { ClientRequest, DeltaEvent, FinalEvent } from '@sauti/protocol/stream'
import { bytesPerSecond, IncomingAudio } from '../../audio/incoming-audio.ts'
import type { CloseFrame, Dialect, StreamEvent, StreamRequest } from '../../dialect.ts'
import { readClientEvent } from './client-events.ts'
import { errorType, openAiCloseFrame } from './errors.ts'
import { describeEarlierSession, describeSession, EventWriter } from './messages.ts'
import type { ModelChoice } from './model-choice.ts'
import {
  configOf,
  DEFAULT_SESSION,
  differenceFrom,
  type SessionChange,
  type TranscriptionSession,
} from './session.ts'

/** Of one append: less than the audio for which a session waits for credit. */
const MAX_APPEND_SECONDS = 20
/** Of PCM at 48 kHz in Base64, with the event around it. */
export const MAX_MESSAGE_BYTES = Math.ceil((MAX_APPEND_SECONDS * 48_000 * BYTES_PER_SAMPLE * 4) / 3) + 1024
const BYTES_PER_MS = SAMPLES_PER_MS * BYTES_PER_SAMPLE
/** OpenAI refuses to commit less. */
const MIN_COMMIT_MS = 100

const LIMIT_TEXTS: Readonly<Partial<Record<string, string>>> = {
  message_too_large: `An event can contain at most ${MAX_MESSAGE_BYTES} bytes.`,
}

export interface OpenAiDialectParts {
  readonly choice: ModelChoice
  readonly newId: () => string
}

/** An update of the session that the client waits to hear of. */
interface Update {
  /** What the recogniser must confirm. */
  readonly settings: Partial<TranscriptionSession>
  /** What holds at once: updates after it may change that before it is answered. */
  readonly atOnce: Pick<TranscriptionSession, 'modelName' | 'language' | 'format'>
  readonly ignored: readonly string[]
  readonly isEarlierForm: boolean
  /** Of the client's event. */
  readonly causeId: string | null
}

export class OpenAiDialect implements Dialect {
  readonly maxTextBytes = MAX_MESSAGE_BYTES
  readonly takesEarlyAudio = true
  readonly interimWords = false
  readonly greeting: readonly string[]
  readonly firstRequests: readonly ClientRequest[] = configOf(
    { silenceMs: DEFAULT_SESSION.silenceMs },
    DEFAULT_SESSION,
  )
  readonly #choice: ModelChoice
  readonly #newId: () => string
  readonly #writer: EventWriter
  readonly #sessionId: string
  #session: TranscriptionSession
  /** Updates that the recogniser has neither confirmed nor refused. What it is asked for first is no update. */
  readonly #unconfirmed: (Update | undefined)[] = [undefined]
  #audio: IncomingAudio
  /** Invalid events that are still to be refused, by their ids. */
  readonly #invalid: (string | null)[] = []
  /** Of the client's event that is being handled. */
  #causeId: string | null = null
  /** Sent by the client, as the recogniser hears it, and how much of it was committed, cleared or ended by silence. */
  #heardBytes = 0
  #takenBytes = 0
  /** Commits without an answer, by the ids of their events. */
  readonly #commits: (string | null)[] = []
  /** The utterance that events speak of, and the one before it. */
  #itemId: string
  #previousItemId: string | null = null
  #utteranceStartMs = 0

  constructor({ choice, newId }: OpenAiDialectParts) {
    this.#choice = choice
    this.#newId = newId
    this.#writer = new EventWriter(newId)
    this.#sessionId = `sess_${newId()}`
    this.#itemId = `item_${newId()}`
    this.#session = { ...DEFAULT_SESSION, modelName: choice.model }
    this.#audio = new IncomingAudio(this.#session.format)
    const session = describeSession(this.#sessionId, this.#session)
    this.greeting = [this.#writer.write('session.created', { session })]
  }

  parse(frame: Buffer, isBinary: boolean): readonly StreamRequest[] {
    try {
      return this.#parse(frame, isBinary)
    } catch (error) {
      this.#invalid.push(this.#causeId)
      throw error
    }
  }

  #parse(frame: Buffer, isBinary: boolean): readonly StreamRequest[] {
    this.#causeId = null
    if (isBinary)
      throw new ServiceError('invalid_message', { message: 'Send audio as input_audio_buffer.append.' })
    const event = readClientEvent(frame.toString())
    this.#causeId = event.id
    switch (event.type) {
      case 'update':
        return this.#update(event.change, event.isEarlierForm)
      case 'append':
        return this.#append(event.audio)
      case 'commit':
        return this.#commit()
      case 'clear':
        return this.#clear()
      case 'invalid':
        throw event.error
    }
  }

  encode(event: StreamEvent): readonly string[] {
    switch (event.type) {
      case 'delta':
        return [this.#tellDelta(event)]
      case 'final':
        return event.cause === 'endpoint' ? this.#tellEndOfTurn(event) : this.#tellCommitted(event)
      case 'speech_started':
        return [this.#tellSpeech('started', { audio_start_ms: event.audio_ms })]
      case 'speech_ended':
        return [this.#tellSpeech('stopped', { audio_end_ms: event.audio_ms })]
      case 'reset_ack':
        this.#nextItem()
        return [this.#writer.write('input_audio_buffer.cleared', {})]
      case 'config_ack':
        return this.#confirmUpdate()
      case 'error':
        return [this.#tellStreamError(event)]
      case 'status':
      case 'ready':
      case 'finished':
        return []
    }
  }

  closeFrame(code: CloseErrorCode | OrderErrorCode | undefined): CloseFrame {
    return openAiCloseFrame(code)
  }

  /** What is refused here changes nothing. What only the recogniser can refuse is told and holds when it is confirmed. */
  #update({ ignored, ...change }: SessionChange, isEarlierForm: boolean): readonly StreamRequest[] {
    const asked = this.#askedFor(change)
    // Where another update is still to be confirmed, nobody knows yet what this one changes.
    const isSettled = this.#unconfirmed.every(update => update === undefined)
    const changed = differenceFrom(this.#session, change)
    const config = configOf(isSettled ? changed : change, asked)
    const modelName = this.#choice.choose(asked.modelName, asked.language)
    const { format: _format, modelName: _name, language: _language, ...settings } = change
    const tail = changed.format ? audioRequest(this.#audio.flush()) : []
    if (changed.format) this.#audio = new IncomingAudio(changed.format)
    const atOnce = { modelName, language: asked.language, format: asked.format }
    this.#session = { ...this.#session, ...atOnce }
    const update = { settings, atOnce, ignored, isEarlierForm, causeId: this.#causeId }
    if (config.length === 0) return [...tail, { type: 'reply', write: () => this.#tellUpdated(update) }]
    this.#unconfirmed.push(update)
    return [...tail, ...config]
  }

  /** The session as it is when everything is confirmed. */
  #askedFor(change: Partial<TranscriptionSession>): TranscriptionSession {
    const changes = this.#unconfirmed.map(update => update?.settings)
    return Object.assign({}, this.#session, ...changes, change)
  }

  #confirmUpdate(): readonly string[] {
    const update = this.#unconfirmed.shift()
    if (!update) return []
    this.#session = { ...this.#session, ...update.settings }
    return [this.#tellUpdated(update)]
  }

  #append(bytes: Buffer): readonly StreamRequest[] {
    if (this.#choice.model === undefined) {
      throw new ServiceError('invalid_message', {
        message: 'Name a model with session.update before sending audio.',
      })
    }
    if (bytes.length > MAX_APPEND_SECONDS * bytesPerSecond(this.#session.format)) {
      throw new ServiceError('invalid_message', {
        message: `Append at most ${MAX_APPEND_SECONDS} seconds at a time.`,
      })
    }
    return this.#hear(this.#audio.push(bytes))
  }

  #commit(): readonly StreamRequest[] {
    const tail = this.#hear(this.#audio.flush())
    const isTooShort = this.#heardBytes - this.#takenBytes < MIN_COMMIT_MS * BYTES_PER_MS
    if (isTooShort) return [...tail, this.#refuseShort(this.#causeId)]
    this.#takenBytes = this.#heardBytes
    this.#commits.push(this.#causeId)
    return [...tail, { type: 'flush' }]
  }

  #refuseShort(causeId: string | null): StreamRequest {
    return { type: 'reply', write: () => this.#tellTooShort(causeId) }
  }

  #clear(): readonly StreamRequest[] {
    this.#audio.flush()
    this.#takenBytes = this.#heardBytes
    return [{ type: 'reset' }]
  }

  #hear(bytes: Uint8Array): readonly StreamRequest[] {
    this.#heardBytes += bytes.length
    return audioRequest(bytes)
  }

  #tellUpdated({ atOnce, ignored, isEarlierForm }: Update): string {
    const [type, describe] = isEarlierForm
      ? (['transcription_session.updated', describeEarlierSession] as const)
      : (['session.updated', describeSession] as const)
    const session = describe(this.#sessionId, { ...this.#session, ...atOnce })
    return this.#writer.write(type, { session, ...(ignored.length > 0 ? { ignored } : {}) })
  }

  #tellTooShort(causeId: string | null): string {
    const message = `The buffer holds less than ${MIN_COMMIT_MS} ms of audio; there is nothing to commit.`
    return this.#tellError('input_audio_buffer_commit_empty', 'invalid_request_error', message, causeId)
  }

  #tellStreamError({ code, message }: Extract<StreamEvent, { type: 'error' }>): string {
    return this.#tellError(code, errorType(code), LIMIT_TEXTS[code] ?? message, this.#causeOf(code))
  }

  /** Events are refused in their order; anything else belongs to the event that is being handled. */
  #causeOf(code: ErrorCode): string | null {
    if (code === 'config_not_allowed') return this.#unconfirmed.shift()?.causeId ?? null
    const isForInvalid = isWarning(code) || code === 'too_many_invalid_messages'
    return isForInvalid && this.#invalid.length > 0 ? this.#invalid.shift()! : this.#causeId
  }

  #tellError(code: string, type: string, message: string, causeId: string | null): string {
    return this.#writer.error({ type, code, message, param: null, event_id: causeId })
  }

  #tellSpeech(change: 'started' | 'stopped', times: Readonly<Record<string, number>>): string {
    return this.#writer.item(`input_audio_buffer.speech_${change}`, this.#itemId, times)
  }

  #tellDelta({ append }: DeltaEvent): string {
    const type = 'conversation.item.input_audio_transcription.delta'
    return this.#writer.item(type, this.#itemId, { content_index: 0, delta: append })
  }

  #tellEndOfTurn(final: FinalEvent): readonly string[] {
    this.#takenBytes = Math.max(this.#takenBytes, final.audio_ms * BYTES_PER_MS)
    return this.#tellItem(final)
  }

  /** Where silence ended the turn before the commit was reached, nothing is left of it. */
  #tellCommitted(final: FinalEvent): readonly string[] {
    const commitId = this.#commits.shift()
    const isEmpty = final.text === '' && final.audio_ms - this.#utteranceStartMs < MIN_COMMIT_MS
    return commitId !== undefined && isEmpty ? [this.#tellTooShort(commitId)] : this.#tellItem(final)
  }

  #tellItem({ text, audio_ms }: FinalEvent): readonly string[] {
    const seconds = (audio_ms - this.#utteranceStartMs) / 1000
    const committed = this.#writer.item('input_audio_buffer.committed', this.#itemId, {
      previous_item_id: this.#previousItemId,
    })
    const completed = this.#writer.item(
      'conversation.item.input_audio_transcription.completed',
      this.#itemId,
      {
        content_index: 0,
        transcript: text,
        usage: { type: 'duration', seconds },
      },
    )
    this.#utteranceStartMs = audio_ms
    this.#previousItemId = this.#itemId
    this.#nextItem()
    return [committed, completed]
  }

  #nextItem(): void {
    this.#itemId = `item_${this.#newId()}`
  }
}

function audioRequest(bytes: Uint8Array): readonly StreamRequest[] {
  return bytes.length > 0 ? [{ type: 'audio', bytes }] : []
}
