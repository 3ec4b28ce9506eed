// A person in front of a service: speaks in real time, utterance after utterance, and notes how long each final takes after its flush.

import { setTimeout as wait } from 'node:timers/promises'
import { speech } from '../engine/clips.ts'
import { randomNumbers } from '../engine/random.ts'
import { type Address, type Call, dial } from '../measure/dial.ts'

const FRAME_MS = 100
const FRAME_SAMPLES = 1600
const SHORTEST_MS = 3000
const LONGEST_MS = 8000
const SIGNAL = speech(600 * 16_000)

export class Speaker {
  readonly #call: Call
  readonly #random: () => number
  readonly #waits: number[] = []
  #answered: () => void = () => undefined
  #isSpeaking = true

  constructor(address: Address, seed: number) {
    this.#random = randomNumbers(seed)
    this.#call = dial(address, () => this.#answered())
  }

  async speak(): Promise<void> {
    await this.#call.ready
    await wait(this.#random() * LONGEST_MS)
    while (this.#isSpeaking) await this.#utter()
    this.#call.socket.close()
  }

  /** Milliseconds from a flush to its final, since the last call. */
  takeWaits(): number[] {
    return this.#waits.splice(0)
  }

  stop(): void {
    this.#isSpeaking = false
  }

  async #utter(): Promise<void> {
    const frames = Math.round((SHORTEST_MS + this.#random() * (LONGEST_MS - SHORTEST_MS)) / FRAME_MS)
    const first = Math.floor(this.#random() * (SIGNAL.length - frames * FRAME_SAMPLES))
    const began = performance.now()
    for (let frame = 0; frame < frames && this.#isSpeaking; frame++) {
      const at = first + frame * FRAME_SAMPLES
      this.#call.socket.send(SIGNAL.slice(at, at + FRAME_SAMPLES))
      await wait(Math.max(0, began + (frame + 1) * FRAME_MS - performance.now()))
    }
    const answer = new Promise<void>(resolve => {
      this.#answered = resolve
    })
    const flushedAt = performance.now()
    this.#call.socket.send('{"type":"flush"}')
    await answer
    this.#waits.push(performance.now() - flushedAt)
  }
}
