// Somebody else who uses the service: speaks in real time, flushes, and notes how long each final takes.

import { setTimeout as wait } from 'node:timers/promises'
import { speech } from '../engine/clips.ts'
import { type Address, type Call, dial } from '../measure/dial.ts'

const FRAME_MS = 100
const FRAME_SAMPLES = 1_600
const UTTERANCE_FRAMES = 15

export class Neighbour {
  readonly #call: Call
  readonly #latencies: number[] = []
  #flushedAt = 0
  #answered: () => void = () => undefined
  #isSpeaking = true

  constructor(address: Address) {
    this.#call = dial(address, () => this.#final())
  }

  async speak(): Promise<void> {
    await this.#call.ready
    const voice = speech(FRAME_SAMPLES * UTTERANCE_FRAMES)
    while (this.#isSpeaking) await this.#utter(voice)
    this.#call.socket.close(1000)
  }

  /** Takes what was measured since the last call. */
  take(): number[] {
    return this.#latencies.splice(0)
  }

  stop(): void {
    this.#isSpeaking = false
  }

  async #utter(voice: Int16Array): Promise<void> {
    const start = performance.now()
    for (let frame = 0; frame < UTTERANCE_FRAMES; frame += 1) {
      this.#call.socket.send(voice.slice(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES))
      await wait(Math.max(0, start + (frame + 1) * FRAME_MS - performance.now()))
    }
    const answered = new Promise<void>(resolve => {
      this.#answered = resolve
    })
    this.#flushedAt = performance.now()
    this.#call.socket.send('{"type":"flush"}')
    await answered
  }

  #final(): void {
    this.#latencies.push(performance.now() - this.#flushedAt)
    this.#answered()
  }
}
