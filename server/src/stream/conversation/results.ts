// Step 6 of one session: what the recogniser finds becomes events with the number of their utterance, and every request is answered in
// its order.

import type { ConfigAckEvent } from '@sauti/protocol/stream'
import type { RecogniserEvent } from '../../recogniser/port.ts'
import type { ConversationEvent, Reply } from '../dialect.ts'
import type { StreamMetrics } from '../metrics.ts'
import { Answers, type FlushCause } from './answers.ts'
import type { Meter, Reading } from './meter.ts'

export interface ResultsParts {
  readonly meter: Meter
  readonly metrics: StreamMetrics
  readonly monotonicMs: () => number
  readonly send: (item: ConversationEvent | Reply) => void
}

type DeltaFound = Extract<RecogniserEvent, { type: 'delta' }>
type FinalFound = Extract<RecogniserEvent, { type: 'final' }>

export class Results {
  readonly #parts: ResultsParts
  readonly #answers: Answers
  /** Of the utterance that the recogniser's events speak of; it is behind what the client sends. */
  #utterance = 1
  #firstAudioAtMs: number | undefined
  #heardText = false

  constructor(parts: ResultsParts) {
    this.#parts = parts
    this.#answers = new Answers(parts.send)
  }

  /** How many answers the client waits for. */
  get owed(): number {
    return this.#answers.length
  }

  noteAudio(): void {
    this.#firstAudioAtMs ??= this.#parts.monotonicMs()
  }

  oweFinal(cause: FlushCause): void {
    const { monotonicMs, meter } = this.#parts
    this.#answers.owe({ type: 'final', askedAtMs: monotonicMs(), reading: meter.read(), cause })
  }

  oweReset(): void {
    this.#answers.owe({ type: 'reset' })
  }

  oweConfig(event: ConfigAckEvent, needsEngine: boolean): void {
    this.#answers.owe({ type: 'config', event, needsEngine })
  }

  oweRefusal(send: () => void): void {
    this.#answers.owe({ type: 'reply', send })
  }

  oweReply(reply: Reply): void {
    this.#answers.owe({ type: 'reply', send: () => this.#parts.send(reply) })
  }

  tell(event: RecogniserEvent): void {
    switch (event.type) {
      case 'delta':
        this.#tellDelta(event)
        break
      case 'final':
        this.#tellFinal(event)
        break
      case 'reset':
        this.#tellReset()
        break
      case 'configured':
        this.#tellConfigured()
        break
      case 'progress':
        break
    }
  }

  #tellDelta({ text, append, words, audioMs }: DeltaFound): void {
    this.#noteFirstText()
    this.#parts.send({ type: 'delta', text, append, words, utterance: this.#utterance, audio_ms: audioMs })
  }

  #tellFinal(found: FinalFound): void {
    const { askedAtMs, reading, cause } = this.#answers.take('final')
    this.#parts.metrics.observeFlushToFinal(this.#parts.monotonicMs() - askedAtMs)
    // Sound without words, such as a door, is not an utterance.
    if (cause === 'client' || found.text !== '') this.#sendFinal(found, reading, cause)
    this.#answers.sendReady()
  }

  #sendFinal({ text, words, audioMs }: FinalFound, reading: Reading, cause: FlushCause): void {
    this.#parts.send({
      type: 'final',
      text,
      utterance: this.#utterance,
      words,
      audio_ms: audioMs,
      billable_ms: reading.billableMs,
      remaining_ms: reading.remainingMs,
      ...(cause === 'endpoint' ? { cause } : {}),
    })
    this.#utterance += 1
  }

  #tellReset(): void {
    this.#answers.take('reset')
    this.#utterance += 1
    this.#parts.send({ type: 'reset_ack', utterance: this.#utterance })
    this.#answers.sendReady()
  }

  #tellConfigured(): void {
    this.#parts.send(this.#answers.take('config').event)
    this.#answers.sendReady()
  }

  #noteFirstText(): void {
    if (this.#heardText || this.#firstAudioAtMs === undefined) return
    this.#heardText = true
    this.#parts.metrics.observeFirstDelta(this.#parts.monotonicMs() - this.#firstAudioAtMs)
  }
}
