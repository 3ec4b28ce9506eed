// One session of a continuous stream: utterance after utterance from the tape, each flushed and confirmed by its `final`, until
// the session has no room for another one, or the audio has ended.

import { SAMPLE_RATE_HZ, SAMPLES_PER_MS, samplesToMs } from '@sauti/protocol/audio'
import type { FinalEvent, SpeechEndedEvent, SpeechStartedEvent, Word } from '@sauti/protocol/stream'
import { SautiError } from '../errors.ts'
import {
  type LiveSession,
  type LiveSessionOptions,
  type LiveSettings,
  openLiveSession,
} from '../live/live-session.ts'
import type { Bill } from './bill.ts'
import type { ContinuousDelta, ContinuousFinal, ContinuousSpeech } from './events.ts'
import type { SessionGrant } from './session-source.ts'
import type { Tape } from './tape.ts'
import { readUtterance } from './utterances.ts'

export interface Speech {
  readonly connection: LiveSessionOptions
  readonly settings: LiveSettings
  readonly tape: Tape
  /** The sample of the tape at which this session begins. */
  readonly start: number
  /** How many samples the audio has in all, where that is known. */
  readonly totalSamples: number | undefined
  readonly longestUtterance: number
  readonly holdBackSamples: number
  readonly silenceMs: number | undefined
  /** The session may be too short for a whole utterance: the credit is running out. */
  readonly isShort: boolean
  readonly bill: Bill
  readonly onReady: () => void
  readonly onDelta: (delta: ContinuousDelta) => void
  readonly onSpeech: (event: ContinuousSpeech) => void
  /** The text of everything before `end` has come. */
  readonly onFinal: (final: ContinuousFinal, end: number) => void
}

/** A session with less than this part of its time left is not used any further: a short rest would force a bad cut. */
export const LEAST_REST = 0.05
/** Utterances that may be on their way at once: enough to keep the service busy, few enough to send again. */
const MAX_UNANSWERED = 4

/** True when the audio has ended and all its text has come. */
export async function speakSession(grant: SessionGrant, speech: Speech): Promise<boolean> {
  const over = new AbortController()
  const stop = () => over.abort()
  speech.connection.signal?.addEventListener('abort', stop)
  if (speech.connection.signal?.aborted) stop()
  const live = openLiveSession(grant, { ...speech.connection, signal: over.signal })
  try {
    const session = new SpokenSession(live, grant, speech)
    const ended = await session.speak()
    await live.close()
    speech.bill.close(grant.id)
    return ended
  } finally {
    speech.connection.signal?.removeEventListener('abort', stop)
    over.abort()
  }
}

class SpokenSession {
  readonly #live: LiveSession
  readonly #speech: Speech
  readonly #limit: number
  readonly #answers: Promise<void>[] = []
  readonly #ended: Promise<never>
  #position: number
  #confirmed: number

  constructor(live: LiveSession, grant: SessionGrant, speech: Speech) {
    this.#live = live
    this.#speech = speech
    this.#limit = grant.audio.max_audio_seconds * SAMPLE_RATE_HZ
    this.#position = this.#confirmed = speech.start
    this.#ended = live.closed.then(() => {
      throw new SautiError('network_lost', 'The service ended the session.')
    })
    this.#ended.catch(() => undefined)
    const startMs = samplesToMs(speech.start)
    live.on('delta', event => {
      const [start_ms, audio_ms] = [samplesToMs(this.#confirmed), startMs + event.audio_ms]
      speech.onDelta({ type: 'delta', text: event.text, start_ms, audio_ms })
    })
    const tell = ({ type, audio_ms }: SpeechStartedEvent | SpeechEndedEvent) =>
      speech.onSpeech({ type, audio_ms: startMs + audio_ms })
    live.on('speech_started', tell)
    live.on('speech_ended', tell)
    live.on('final', event => {
      if (event.cause === 'endpoint') this.#tell(event, speech.start + event.audio_ms * SAMPLES_PER_MS)
    })
  }

  async speak(): Promise<boolean> {
    await this.#live.ready
    this.#speech.onReady()
    const { settings } = this.#speech
    if (Object.keys(settings).length > 0) await this.#live.configure(settings)
    let ended = false
    while (!ended && this.#hasRoom()) {
      ended = await this.#speakUtterance()
      await this.#answers.at(-MAX_UNANSWERED)
    }
    await Promise.all(this.#answers)
    return ended
  }

  get #rest(): number {
    return this.#limit - (this.#position - this.#speech.start)
  }

  /** For a whole utterance, of whatever length: then where it is cut does not depend on the session it happens to be in. */
  #hasRoom(): boolean {
    const { isShort, longestUtterance, totalSamples = Number.POSITIVE_INFINITY } = this.#speech
    const needed = isShort
      ? this.#limit * LEAST_REST
      : Math.min(longestUtterance, totalSamples - this.#position)
    return this.#rest >= Math.max(1, needed)
  }

  async #speakUtterance(): Promise<boolean> {
    const { tape, longestUtterance, holdBackSamples, silenceMs } = this.#speech
    const start = this.#position
    const limits = {
      maxSamples: longestUtterance,
      roomSamples: this.#rest,
      holdBackSamples,
      silenceMs,
      isEndedElsewhere: Boolean(this.#speech.settings.endpointing),
    }
    const pieces = readUtterance(tape, start, limits)
    let piece = await this.#unlessClosed(pieces.next())
    for (; !piece.done; piece = await this.#unlessClosed(pieces.next())) await this.#send(piece.value)
    const { end, isLast } = piece.value
    this.#position = end
    if (end > start) this.#expect(this.#live.flush(), start, end)
    return isLast
  }

  /** A session that ends while nothing is said must be noticed then, and not with the next word. */
  #unlessClosed<T>(next: Promise<T>): Promise<T> {
    return Promise.race([next, this.#ended])
  }

  async #send(pcm: Int16Array): Promise<void> {
    this.#speech.bill.send(this.#live.id, pcm.length)
    await this.#live.send(pcm)
  }

  #expect(final: Promise<FinalEvent>, start: number, end: number): void {
    const answer = final.then(event => this.#confirm(event, start, end))
    // Awaited later, or never when the session breaks before; the break itself is reported by the sender.
    answer.catch(() => undefined)
    this.#answers.push(answer)
  }

  #confirm(final: FinalEvent, start: number, end: number): void {
    // A service that restarts sends a last `final` without a flush, for the audio that it had heard by then.
    if (this.#confirmed < start || final.audio_ms < samplesToMs(end - this.#speech.start)) {
      throw new SautiError('incomplete_final', 'The service ended before it had heard everything.')
    }
    this.#tell(final, end)
  }

  /** Everything up to `end` has its text: by our flush, or because the service ended the utterance there. */
  #tell(final: FinalEvent, end: number): void {
    const [start_ms, end_ms] = [samplesToMs(this.#confirmed), samplesToMs(end)]
    this.#confirmed = end
    this.#speech.bill.confirm(this.#live.id, final.billable_ms)
    const words = shiftWords(final.words, samplesToMs(this.#speech.start))
    this.#speech.onFinal({ type: 'final', text: final.text, words, start_ms, end_ms }, end)
  }
}

/** From the clock of a session to the clock of the stream. */
function shiftWords(words: readonly Word[], byMs: number): Word[] {
  return words.map(word => ({ ...word, start_ms: word.start_ms + byMs, end_ms: word.end_ms + byMs }))
}
