// A person in front of a service: speaks in real time, utterance after utterance, and notes how long each final takes after its flush.

import { setTimeout as wait } from 'node:timers/promises'
import { randomNumbers } from '../engine/random.ts'
import { type Address, type Call, dial } from '../measure/dial.ts'
import { drawUtterance, FRAME_MS, framesOf, LONGEST_MS } from './utterance.ts'

export interface Speech {
  readonly seed: number
  /** After so many it leaves. */
  readonly utterances: number
  /** Milliseconds from a flush to its final. */
  onWait(waitMs: number): void
}

export class Speaker {
  readonly #call: Call
  readonly #speech: Speech
  readonly #random: () => number
  #answered: () => void = () => undefined
  #isSpeaking = true
  #isLost = false

  constructor(address: Address, speech: Speech) {
    this.#speech = speech
    this.#random = randomNumbers(speech.seed)
    this.#call = dial(address, () => this.#answered())
    this.#call.socket.once('close', () => this.#lose())
  }

  /** Resolves when it has left. False where the service ended the conversation. */
  async speak(): Promise<boolean> {
    await this.#call.ready
    await wait(this.#random() * LONGEST_MS)
    for (let i = 0; this.#isSpeaking && i < this.#speech.utterances; i++) await this.#utter()
    this.#call.socket.close()
    return !this.#isLost
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
    if (this.#isLost) return
    const answer = new Promise<void>(resolve => {
      this.#answered = resolve
    })
    const flushedAt = performance.now()
    this.#call.socket.send('{"type":"flush"}')
    await answer
    if (!this.#isLost) this.#speech.onWait(performance.now() - flushedAt)
  }

  /** Our own closing comes after the last utterance and changes nothing. */
  #lose(): void {
    this.#isLost = true
    this.stop()
    this.#answered()
  }
}
