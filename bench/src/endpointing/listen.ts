// One stream, heard by the service's own endpointing and engine in this process. The clock is that of the sound: each frame arrives at its end,
// the engine takes the processor time that its step really took, and other programs on the machine do not count.

import { chunkSamples, DEFAULT_LOOK_AHEAD, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import type { Model } from '@sauti/server/recogniser/engine/model.js'
import { Utterance } from '@sauti/server/recogniser/engine/utterance.js'
import type { VoiceDetector } from '@sauti/server/recogniser/port.js'
import { Endpointing } from '@sauti/server/stream/conversation/endpointing.js'
import type { Likelihoods } from './contenders.ts'
import type { End } from './verdict.ts'

export interface Heard {
  readonly starts: number
  readonly ends: readonly End[]
}

export interface ListenOptions {
  readonly silenceMs: number
  /** Without one nothing is recognised: ends are decided by the voice alone. */
  readonly model: Model | undefined
}

/** Frames come with their likelihoods, so the detector has nothing to do. */
const GIVEN: VoiceDetector = {
  open: () => ({ push: () => undefined, close: () => undefined }),
  close: async () => undefined,
}

export function listen(
  frames: readonly Int16Array[],
  likelihoods: Likelihoods,
  { silenceMs, model }: ListenOptions,
): Heard {
  const engine = new TimedEngine(model)
  const ends: End[] = []
  let starts = 0
  const endpointing = new Endpointing({
    silenceMs,
    detector: GIVEN,
    listener: { onVoice: () => undefined, onLost: () => undefined },
    samplesBefore: 0,
    recogniser: engine,
    send: ({ type }) => {
      if (type === 'speech_started') starts++
    },
    onEnd: () => void ends.push(engine.finish()),
  })
  engine.onText = audioMs => endpointing.noteText(audioMs)
  for (const [i, frame] of frames.entries()) {
    endpointing.push(frame)
    endpointing.judge([likelihoods[i]!])
  }
  engine.dispose()
  return { starts, ends }
}

class TimedEngine {
  onText: (audioMs: number) => void = () => undefined
  readonly #model: Model | undefined
  readonly #chunk = new Int16Array(chunkSamples(DEFAULT_LOOK_AHEAD))
  #filled = 0
  #position = 0
  #utterance: Utterance | undefined
  /** Until when it is at work. */
  #busyUntilMs = 0

  constructor(model: Model | undefined) {
    this.#model = model
  }

  get queuedSamples(): number {
    return this.#filled
  }

  push(samples: Int16Array): void {
    for (let rest = samples; rest.length > 0; ) {
      const part = rest.subarray(0, this.#chunk.length - this.#filled)
      this.#chunk.set(part, this.#filled)
      this.#filled += part.length
      this.#position += part.length
      rest = rest.subarray(part.length)
      if (this.#filled === this.#chunk.length) this.#hear()
    }
  }

  finish(): End {
    const decidedMs = this.#nowMs
    const rest = this.#takeChunk()
    if (this.#model === undefined) return { decidedMs, finalMs: decidedMs, text: '' }
    const utterance = this.#current(this.#model)
    this.#work(() => utterance.finish(rest))
    const { text } = utterance
    this.dispose()
    return { decidedMs, finalMs: this.#busyUntilMs, text }
  }

  dispose(): void {
    this.#utterance?.release()
    this.#utterance = undefined
  }

  get #nowMs(): number {
    return this.#position / SAMPLES_PER_MS
  }

  #hear(): void {
    const chunk = this.#takeChunk()
    if (this.#model === undefined) return
    const utterance = this.#current(this.#model)
    const gained = this.#work(() => utterance.hear(chunk))
    if (gained !== '') this.onText(this.#nowMs)
  }

  #takeChunk(): Int16Array {
    const taken = this.#chunk.slice(0, this.#filled)
    this.#filled = 0
    return taken
  }

  #current(model: Model): Utterance {
    this.#utterance ??= new Utterance(model)
    return this.#utterance
  }

  #work<T>(step: () => T): T {
    const before = process.cpuUsage()
    const result = step()
    const { user, system } = process.cpuUsage(before)
    this.#busyUntilMs = Math.max(this.#busyUntilMs, this.#nowMs) + (user + system) / 1000
    return result
  }
}
