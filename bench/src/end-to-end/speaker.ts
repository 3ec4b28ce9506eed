// A person in front of a service: speaks in real time, utterance after utterance, and notes how long each final takes after its flush.

import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { speech } from '../engine/clips.ts'
import { randomNumbers } from '../engine/random.ts'

const FRAME_MS = 100
const FRAME_SAMPLES = 1600
const SHORTEST_MS = 3000
const LONGEST_MS = 8000
const SIGNAL = speech(600 * 16_000)

/** Where to connect, and with what. */
export interface Address {
  readonly url: string
  readonly protocols: readonly string[]
  readonly ca?: string
}

export class Speaker {
  readonly #socket: WebSocket
  readonly #ready: Promise<void>
  readonly #random: () => number
  readonly #waits: number[] = []
  #answered: () => void = () => undefined
  #isSpeaking = true

  constructor({ url, protocols, ca }: Address, seed: number) {
    this.#random = randomNumbers(seed)
    this.#socket = new WebSocket(url, [...protocols], { ...(ca && { ca }), perMessageDeflate: false })
    this.#ready = new Promise((resolve, reject) => {
      this.#socket.on('error', reject)
      this.#socket.on('message', data => {
        const { type } = JSON.parse(String(data))
        if (type === 'ready') resolve()
        if (type === 'final') this.#answered()
      })
    })
  }

  async speak(): Promise<void> {
    await this.#ready
    await wait(this.#random() * LONGEST_MS)
    while (this.#isSpeaking) await this.#utter()
    this.#socket.close()
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
      this.#socket.send(SIGNAL.slice(at, at + FRAME_SAMPLES))
      await wait(Math.max(0, began + (frame + 1) * FRAME_MS - performance.now()))
    }
    const answer = new Promise<void>(resolve => {
      this.#answered = resolve
    })
    const flushedAt = performance.now()
    this.#socket.send('{"type":"flush"}')
    await answer
    this.#waits.push(performance.now() - flushedAt)
  }
}
