// One session of a transcription: utterance after utterance from the tape, each flushed and confirmed by its `final`, until
// the session's time or the recording is used up.

import {
  type AsrSession,
  type Connect,
  type FinalEvent,
  type LiveSession,
  type LiveSettings,
  openLiveSession,
  SautiError,
} from '@sauti/client'
import { SAMPLE_RATE_HZ, samplesToMs } from '@sauti/protocol/audio'
import type { Tape } from '../audio/tape.ts'
import { readUtterance } from '../audio/utterances.ts'
import type { TranscriptionHooks } from './transcriber.ts'
import { shiftWords, type Utterance } from './transcript.ts'

export interface Speech {
  readonly connect: Connect
  readonly settings: LiveSettings
  readonly tape: Tape
  /** The sample of the tape at which this session begins. */
  readonly start: number
  readonly isLive: boolean
  readonly hooks: TranscriptionHooks
  /** The text of everything before `end` has come. */
  readonly confirm: (utterance: Utterance, end: number) => void
}

const LONGEST_UTTERANCE_SAMPLES = 60 * SAMPLE_RATE_HZ
const FILE_HOLD_BACK_SAMPLES = 24 * SAMPLE_RATE_HZ
const LIVE_HOLD_BACK_SAMPLES = 0.3 * SAMPLE_RATE_HZ
/** A session with less left than this part of itself is ended: a short rest would force a bad cut. */
export const LEAST_REST = 0.05
/** Utterances that may be on their way at once: enough to keep the service busy, few enough to send again. */
const MAX_UNANSWERED = 4

/** True when the recording has ended and all its text has come. */
export async function speakSession(grant: AsrSession, speech: Speech): Promise<boolean> {
  const over = new AbortController()
  const live = openLiveSession(grant, { connect: speech.connect, signal: over.signal })
  try {
    const session = new SpokenSession(live, grant, speech)
    const ended = await session.speak()
    await live.close()
    return ended
  } finally {
    over.abort()
  }
}

class SpokenSession {
  readonly #live: LiveSession
  readonly #speech: Speech
  readonly #limit: number
  readonly #answers: Promise<void>[] = []
  #position: number
  #confirmed: number

  constructor(live: LiveSession, grant: AsrSession, speech: Speech) {
    this.#live = live
    this.#speech = speech
    this.#limit = grant.audio.max_audio_seconds * SAMPLE_RATE_HZ
    this.#position = this.#confirmed = speech.start
    live.on('delta', event => {
      speech.hooks.onDelta?.(event.text)
      speech.hooks.onProgress?.(samplesToMs(speech.start) + event.audio_ms)
    })
  }

  async speak(): Promise<boolean> {
    const { settings } = this.#speech
    if (Object.keys(settings).length > 0) await this.#live.configure(settings)
    let ended = false
    while (!ended && this.#rest >= this.#limit * LEAST_REST) {
      ended = await this.#speakUtterance()
      await this.#answers.at(-MAX_UNANSWERED)
    }
    await Promise.all(this.#answers)
    return ended
  }

  get #rest(): number {
    return this.#limit - (this.#position - this.#speech.start)
  }

  async #speakUtterance(): Promise<boolean> {
    const { tape, isLive } = this.#speech
    const start = this.#position
    const pieces = readUtterance(tape, start, {
      maxSamples: Math.min(this.#rest, LONGEST_UTTERANCE_SAMPLES),
      holdBackSamples: isLive ? LIVE_HOLD_BACK_SAMPLES : FILE_HOLD_BACK_SAMPLES,
    })
    let piece = await pieces.next()
    for (; !piece.done; piece = await pieces.next()) await this.#live.send(piece.value)
    const { end, isLast } = piece.value
    this.#position = end
    if (end > start) this.#expect(this.#live.flush(), start, end)
    return isLast
  }

  #expect(final: Promise<FinalEvent>, start: number, end: number): void {
    const answer = final.then(event => this.#confirm(event, start, end))
    // Awaited later, or never when the session breaks before; the break itself is told by whoever speaks.
    answer.catch(() => undefined)
    this.#answers.push(answer)
  }

  #confirm(final: FinalEvent, start: number, end: number): void {
    const { speech, sessionMs } = { speech: this.#speech, sessionMs: samplesToMs(this.#speech.start) }
    // A service that restarts gives a last `final` of its own accord, for the audio that it had heard by then.
    if (start !== this.#confirmed || final.audio_ms < samplesToMs(end - speech.start)) {
      throw new SautiError('incomplete_final', 'The service ended before it had heard everything.')
    }
    this.#confirmed = end
    speech.hooks.onProgress?.(samplesToMs(end))
    const [startMs, endMs] = [samplesToMs(start), samplesToMs(end)]
    speech.confirm({ startMs, endMs, text: final.text, words: shiftWords(final.words, sessionMs) }, end)
  }
}
