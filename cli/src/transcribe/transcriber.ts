// One recording through as many sessions as it takes. Text counts only when its `final` has come: after any break the tape
// goes back to the last one, so no word is lost and none is repeated.

import { randomUUID } from 'node:crypto'
import { type Connect, type LiveSettings, type SautiClient, SautiError } from '@sauti/client'
import { MAX_AUDIO_SECONDS, SAMPLE_RATE_HZ, samplesToMs } from '@sauti/protocol/audio'
import type { Audio } from '../audio/open-audio.ts'
import { Tape } from '../audio/tape.ts'
import { isPassing, retryWaitMs } from './passing-failures.ts'
import type { SessionSlots } from './session-slots.ts'
import { LEAST_REST, speakSession } from './speak-session.ts'
import type { Transcript, Utterance } from './transcript.ts'

export interface TranscriptionHooks {
  /** The unfinished utterance so far. */
  onDelta?(text: string): void
  onUtterance?(utterance: Utterance): void
  /** How far the recording has been heard. */
  onProgress?(positionMs: number): void
  /** Something that the user may want to know while waiting. */
  onNotice?(notice: string): void
}

export interface TranscriptionOptions {
  readonly client: SautiClient
  readonly connect: Connect
  readonly slots: SessionSlots
  readonly model: string
  readonly settings: LiveSettings
  /** Longest session to ask for. */
  readonly sessionSeconds: number
  /** How long it goes on trying without getting any further. */
  readonly patienceMs: number
  readonly hooks: TranscriptionHooks
  readonly wait: (ms: number) => Promise<void>
  readonly now: () => number
}

export interface Outcome {
  /** Up to the failure, if there was one. */
  readonly transcript: Transcript
  readonly failure: unknown
}

export async function transcribe(audio: Audio, options: TranscriptionOptions): Promise<Outcome> {
  const transcription = new Transcription(audio, options)
  try {
    await transcription.run()
    return { transcript: transcription.transcript, failure: undefined }
  } catch (failure) {
    return { transcript: transcription.transcript, failure }
  } finally {
    await transcription.close()
  }
}

class Transcription {
  readonly #audio: Audio
  readonly #options: TranscriptionOptions
  readonly #tape: Tape
  readonly #utterances: Utterance[] = []
  /** Up to this sample everything has its text. */
  #confirmed = 0
  /** Stays until a session was created with it, so that an answer that got lost is asked for again and not paid twice. */
  #idempotencyKey = randomUUID()

  constructor(audio: Audio, options: TranscriptionOptions) {
    this.#audio = audio
    this.#options = options
    this.#tape = new Tape(audio.pcm)
  }

  get transcript(): Transcript {
    const { name } = this.#audio
    const durationMs = samplesToMs(this.#confirmed)
    return { name, model: this.#options.model, durationMs, utterances: this.#utterances }
  }

  async close(): Promise<void> {
    await this.#tape.close()
  }

  async run(): Promise<void> {
    // Nothing is reserved for what cannot be read, or has no sound.
    if ((await this.#tape.fill(1)) === 0) return
    let stuck = { failures: 0, sinceMs: this.#options.now() }
    for (let ended = false; !ended; ) {
      const before = this.#confirmed
      try {
        ended = await this.#runSession()
      } catch (error) {
        if (this.#confirmed > before) stuck = { failures: 0, sinceMs: this.#options.now() }
        await this.#recover(error, stuck)
        stuck.failures += 1
      }
    }
  }

  /** Waits before the next try, or throws when there is no hope. */
  async #recover(error: unknown, stuck: { failures: number; sinceMs: number }): Promise<void> {
    const { now, wait, patienceMs, hooks } = this.#options
    const isPassed = now() - stuck.sinceMs > patienceMs
    if (!(error instanceof SautiError) || !isPassing(error) || isPassed) throw error
    hooks.onNotice?.(`${error.message} Trying again.`)
    await wait(retryWaitMs(error, stuck.failures))
  }

  /** True when the recording has ended. */
  async #runSession(): Promise<boolean> {
    const { slots, client, connect, model, settings, hooks } = this.#options
    const request = { model, max_audio_seconds: this.#wantedSeconds() }
    const once = { idempotencyKey: this.#idempotencyKey, maxRetries: 0 }
    const grant = await slots.acquire(() => client.createSession(request, once))
    this.#idempotencyKey = randomUUID()
    try {
      return await speakSession(grant, {
        connect,
        settings,
        tape: this.#tape,
        start: this.#confirmed,
        isLive: this.#audio.isLive,
        hooks,
        confirm: (utterance, end) => this.#confirm(utterance, end),
      })
    } finally {
      slots.release()
    }
  }

  #confirm(utterance: Utterance, end: number): void {
    this.#confirmed = end
    this.#tape.forget(end)
    this.#utterances.push(utterance)
    this.#options.hooks.onUtterance?.(utterance)
  }

  /** What is left of the recording and a little more, since lengths in file headers are not exact. */
  #wantedSeconds(): number {
    const { durationMs } = this.#audio
    const longest = Math.min(this.#options.sessionSeconds, MAX_AUDIO_SECONDS)
    if (durationMs === undefined) return longest
    const restSeconds = durationMs / 1000 - this.#confirmed / SAMPLE_RATE_HZ
    return Math.min(longest, Math.max(1, Math.ceil(restSeconds / (1 - LEAST_REST)) + 1))
  }
}
