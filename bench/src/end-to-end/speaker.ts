// A person in front of a service: speaks in real time, utterance after utterance, and notes how long each final takes after its flush.

import { setTimeout as wait } from 'node:timers/promises'
import { randomNumbers } from '../engine/random.ts'
import { type Address, type Call, dial } from '../measure/dial.ts'
import { drawUtterance, FRAME_MS, framesOf, LONGEST_MS } from './utterance.ts'

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
    const began = performance.now()
    let sent = 0
    for (const frame of framesOf(drawUtterance(this.#random))) {
      if (!this.#isSpeaking) break
      this.#call.socket.send(frame)
      await wait(Math.max(0, began + ++sent * FRAME_MS - performance.now()))
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
