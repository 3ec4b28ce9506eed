// One stream of the service, as a client sees it: audio in real time or as fast as it goes, and the events of each utterance.

import { setTimeout as wait } from 'node:timers/promises'
import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { WebSocket } from 'ws'
import type { Address } from '../measure/dial.ts'
import type { Clip } from './clips.ts'
import type { TextEvent, Utterance } from './latency.ts'

const FRAME_MS = 100
const FRAME_SAMPLES = FRAME_MS * SAMPLES_PER_MS

/** A stream that ended before its client ended it, by the code of its error or of its close. */
export class StreamLost extends Error {
  readonly code: string

  constructor(code: string) {
    super(`the stream ended: ${code}`)
    this.code = code
  }
}

interface Message {
  readonly type: string
  readonly text: string
  readonly code?: string
  /** These are told by ours alone. */
  readonly audio_ms?: number
  readonly words?: readonly { readonly end_ms: number }[]
}

export class Stream {
  readonly #socket: WebSocket
  readonly #ready: Promise<void>
  #events: TextEvent[] = []
  /** Audio of the utterances before, because the service counts from the beginning of the session. */
  #beforeMs = 0
  #onFinal: (message: Message) => void = () => undefined
  #onLost: (error: StreamLost) => void = () => undefined
  #code: string | undefined
  #isClosing = false

  constructor({ url, protocols, ca }: Address) {
    this.#socket = new WebSocket(url, [...protocols], { ...(ca && { ca }), perMessageDeflate: false })
    this.#ready = new Promise((resolve, reject) => {
      this.#onLost = reject
      this.#socket.on('message', data => {
        const message = JSON.parse(String(data)) as Message
        if (message.type === 'ready') resolve()
        this.#take(message)
      })
    })
    this.#ready.catch(() => undefined)
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#lose(error.code ?? 'connection_failed'))
    this.#socket.on('close', code => this.#lose(`closed_${code}`))
  }

  /** Sends frames as a microphone does, and flushes when the clip ends. */
  async say(clip: Clip, inRealTime = true): Promise<Utterance> {
    await this.#ready
    this.#events = []
    const answer = new Promise<Message>((resolve, reject) => {
      this.#onFinal = resolve
      this.#onLost = reject
    })
    answer.catch(() => undefined)
    const beganAt = performance.now()
    for (let at = 0; at < clip.audio.length && this.#code === undefined; at += FRAME_SAMPLES) {
      const frame = clip.audio.slice(at, at + FRAME_SAMPLES)
      // A microphone gives a frame when its last sample was spoken.
      const spokenAt = beganAt + (at + frame.length) / SAMPLES_PER_MS
      if (inRealTime) await wait(Math.max(0, spokenAt - performance.now()))
      this.#socket.send(frame)
    }
    const flushedAt = performance.now()
    this.#socket.send('{"type":"flush"}')
    const { words = [] } = await answer
    const wordEndsMs = words.map(({ end_ms }) => end_ms - this.#beforeMs)
    this.#beforeMs += clip.audio.length / SAMPLES_PER_MS
    const { speechEndMs, text } = clip
    return { beganAt, speechEndMs, flushedAt, events: this.#events, wordEndsMs, reference: text }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#socket.readyState === WebSocket.CLOSED) return
    const closed = new Promise(resolve => this.#socket.once('close', resolve))
    this.#socket.close(1000)
    await closed
  }

  #take(message: Message): void {
    const { type, text, audio_ms } = message
    if (type === 'error') this.#code = message.code
    if (type !== 'delta' && type !== 'final') return
    const audioMs = audio_ms === undefined ? undefined : audio_ms - this.#beforeMs
    this.#events.push({ at: performance.now(), type, text, audioMs })
    if (type === 'final') this.#onFinal(message)
  }

  #lose(code: string): void {
    if (this.#isClosing) return
    this.#code ??= code
    this.#onLost(new StreamLost(this.#code))
  }
}
