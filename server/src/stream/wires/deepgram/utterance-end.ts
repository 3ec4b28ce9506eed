// When Deepgram's UtteranceEnd is due: a number of milliseconds of audio after the last word of an utterance, if nobody speaks
// meanwhile. Pure except for its clock.
//
// Where speech begins again, its time decides, even if that became known before the words of the utterance did. Until then silence is
// measured by the audio that has come, and as much time must pass on the clock: audio that is sent fast says nothing about silence.

const MAX_SPEECH_STARTS = 100

interface Pending {
  readonly lastWordEndMs: number
  readonly dueAtMs: number
}

export class UtteranceEndTimer {
  readonly #silenceMs: number
  readonly #monotonicMs: () => number
  #pending: Pending | undefined
  /** Of the speech whose words are not known yet. */
  #speechStarts: number[] = []

  constructor(silenceMs: number, monotonicMs: () => number) {
    this.#silenceMs = silenceMs
    this.#monotonicMs = monotonicMs
  }

  /** Speech began. The time of the last word before it, where its utterance is over and that was not told yet. */
  noteSpeech(startMs: number): number | undefined {
    this.#speechStarts.push(startMs)
    // Sounds without words would gather here.
    if (this.#speechStarts.length > MAX_SPEECH_STARTS) this.#speechStarts.shift()
    return this.#decide(startMs)
  }

  /** The words of an utterance became known, and audio was heard up to `heardMs`. Answers as noteSpeech. */
  noteWords(lastWordEndMs: number, heardMs: number): number | undefined {
    const restMs = Math.max(0, lastWordEndMs + this.#silenceMs - heardMs)
    this.#pending = { lastWordEndMs, dueAtMs: this.#monotonicMs() + restMs }
    this.#speechStarts = this.#speechStarts.filter(startMs => startMs > lastWordEndMs)
    const [nextSpeechMs] = this.#speechStarts
    return nextSpeechMs === undefined ? undefined : this.#decide(nextSpeechMs)
  }

  /** Audio came, up to `receivedMs` in all. */
  noteAudio(receivedMs: number): number | undefined {
    if (this.#pending === undefined || this.#monotonicMs() < this.#pending.dueAtMs) return undefined
    return receivedMs - this.#pending.lastWordEndMs < this.#silenceMs ? undefined : this.#take()
  }

  /** There was silence until this time, and nobody waits any longer. */
  noteEnd(endMs: number): number | undefined {
    return this.#decide(endMs)
  }

  #decide(silentUntilMs: number): number | undefined {
    const isOver = this.#pending && silentUntilMs - this.#pending.lastWordEndMs >= this.#silenceMs
    const lastWordEndMs = this.#take()
    return isOver ? lastWordEndMs : undefined
  }

  #take(): number | undefined {
    const lastWordEndMs = this.#pending?.lastWordEndMs
    this.#pending = undefined
    return lastWordEndMs
  }
}
