// Where speech begins and ends, from how likely each frame of 32 ms is to hold a voice. Pure.

import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { VOICE_FRAME_SAMPLES } from '../../recogniser/port.ts'

const VOICE_FRAME_MS = VOICE_FRAME_SAMPLES / SAMPLES_PER_MS

/** More than this is voice. */
const VOICE = 0.5
/** Where the sound is as quiet as the noise, more is needed: after loud speech in noise, the likelihood falls 300 ms later than the voice. */
const VOICE_IN_NOISE = 0.6
/**
 * Less than this is silence. Between the two is doubt: a faint syllable, or noise. Doubt is no voice, but nothing ends in it: on the telephone,
 * most wrong ends fell on a faint syllable after a short pause.
 */
const SURE_SILENCE = 0.002
/** Noise that is never sure silence ends speech all the same, this much later. */
const LONGEST_DOUBT_MS = 200
/** This many frames of voice among the last few begin speech: 64 ms, a short syllable. */
const BEGINNING_FRAMES = 2
const RECENT_FRAMES = 4

/** Times are of the sound, in milliseconds from the first sample of the session. */
export type Turn =
  | { readonly type: 'started'; readonly atMs: number }
  | { readonly type: 'ended'; readonly atMs: number }

export class Endpointer {
  readonly #silenceMs: number
  #nowMs = 0
  #isSpeech = false
  /** Ends of the last frames of voice. */
  #recentVoice: number[] = []
  #lastVoiceEndMs = 0

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs
  }

  get isSpeech(): boolean {
    return this.#isSpeech
  }

  /** Since when nothing was said. */
  get silentForMs(): number {
    return this.#nowMs - this.#lastVoiceEndMs
  }

  /** One frame more, which ends at this time. */
  hear(likelihood: number, endMs: number, isAsQuietAsNoise = false): Turn | undefined {
    this.#nowMs = endMs
    if (likelihood > (isAsQuietAsNoise ? VOICE_IN_NOISE : VOICE)) this.#noteVoice()
    return this.#isSpeech ? this.#end(likelihood < SURE_SILENCE) : this.#begin()
  }

  /** The utterance was ended by somebody else: speech that was told to have begun ends with it. */
  stop(): Turn | undefined {
    const turn = this.#isSpeech ? ({ type: 'ended', atMs: this.#lastVoiceEndMs } as const) : undefined
    this.#isSpeech = false
    this.#recentVoice = []
    return turn
  }

  #noteVoice(): void {
    this.#lastVoiceEndMs = this.#nowMs
    this.#recentVoice.push(this.#nowMs)
  }

  #begin(): Turn | undefined {
    const oldestMs = this.#nowMs - RECENT_FRAMES * VOICE_FRAME_MS
    this.#recentVoice = this.#recentVoice.filter(endMs => endMs > oldestMs)
    if (this.#recentVoice.length < BEGINNING_FRAMES) return undefined
    this.#isSpeech = true
    const atMs = this.#recentVoice[0]! - VOICE_FRAME_MS
    this.#recentVoice = []
    return { type: 'started', atMs }
  }

  #end(isSure: boolean): Turn | undefined {
    this.#recentVoice = []
    if (this.silentForMs < this.#silenceMs + (isSure ? 0 : LONGEST_DOUBT_MS)) return undefined
    this.#isSpeech = false
    return { type: 'ended', atMs: this.#lastVoiceEndMs }
  }
}
