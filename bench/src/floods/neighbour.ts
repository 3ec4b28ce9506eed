// Somebody else who uses the service: speaks in real time, flushes, and notes how long each final takes.

import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { speech } from '../engine/clips.ts'
import type { Ticket } from './attacker.ts'

const FRAME_MS = 100
const FRAME_SAMPLES = 1_600
const UTTERANCE_FRAMES = 15

export class Neighbour {
  readonly #socket: WebSocket
  readonly #ready: Promise<void>
  readonly #latencies: number[] = []
  #flushedAt = 0
  #answered: () => void = () => undefined
  #isSpeaking = true

  constructor({ url, protocols, ca }: Ticket) {
    this.#socket = new WebSocket(url, [...protocols], { ...(ca && { ca }), perMessageDeflate: false })
    this.#ready = new Promise((resolve, reject) => {
      this.#socket.on('error', reject)
      this.#socket.on('message', data => {
        const { type } = JSON.parse(String(data))
        if (type === 'ready') resolve()
        if (type === 'final') this.#final()
      })
    })
  }

  async speak(): Promise<void> {
    await this.#ready
    const voice = speech(FRAME_SAMPLES * UTTERANCE_FRAMES)
    while (this.#isSpeaking) await this.#utter(voice)
    this.#socket.close(1000)
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
      this.#socket.send(voice.slice(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES))
      await wait(Math.max(0, start + (frame + 1) * FRAME_MS - performance.now()))
    }
    const answered = new Promise<void>(resolve => {
      this.#answered = resolve
    })
    this.#flushedAt = performance.now()
    this.#socket.send('{"type":"flush"}')
    await answered
  }

  #final(): void {
    this.#latencies.push(performance.now() - this.#flushedAt)
    this.#answered()
  }
}
