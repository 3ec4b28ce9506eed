// One WebSocket, and everything that came over it. Waiting never fails: what did not come in time is missing in the recording, and the
// rules say so.

import type { ClientRequest } from 'node:http'
import { WebSocket } from 'ws'
import { ANSWER_PATIENCE_MS, type Answer, parseJson, readAnswer } from './exchange.ts'
import { at } from './see.ts'

export interface SeenEvent {
  readonly type: unknown
  /** Undefined where the frame was not JSON text. */
  readonly json: unknown
  readonly isText: boolean
}

export interface Closing {
  readonly code: number
  readonly reason: string
}

export interface Address {
  readonly url: string
  readonly protocols: readonly string[]
}

export interface StreamOptions {
  readonly ca?: string
  /** Binary frames that are sent right after the handshake, before the service can have answered it. */
  readonly early?: readonly Buffer[]
  readonly patienceMs: number
}

export class RecordedStream {
  readonly events: SeenEvent[] = []
  /** When pings of the server came, by the monotonic clock. */
  readonly pingsAtMs: number[] = []
  /** The HTTP answer, where the handshake was refused. */
  refusal: Answer | undefined
  closing: Closing | undefined
  readonly #socket: WebSocket
  readonly #patienceMs: number
  readonly #waiting = new Set<() => void>()
  #pongs = 0
  #answersPings = true
  #extensions = ''

  constructor({ url, protocols }: Address, { ca, early = [], patienceMs }: StreamOptions) {
    this.#patienceMs = patienceMs
    this.#socket = new WebSocket(url, [...protocols], {
      // Compression is offered, so that a service which takes it is noticed.
      perMessageDeflate: true,
      handshakeTimeout: ANSWER_PATIENCE_MS,
      finishRequest: request => sendBehind(request, early),
      ...(ca === undefined ? {} : { ca }),
    })
    this.#record()
  }

  #record(): void {
    const socket = this.#socket
    socket.on('message', (data, isBinary) =>
      this.#note(() => this.events.push(readEvent(String(data), isBinary))),
    )
    socket.on('ping', () => this.#note(() => this.pingsAtMs.push(performance.now())))
    socket.on('pong', () => this.#note(() => ++this.#pongs))
    socket.on('upgrade', ({ headers }) => {
      this.#extensions = headers['sec-websocket-extensions'] ?? ''
    })
    socket.on('unexpected-response', (_, incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', part => {
        text += part
      })
      incoming.on('end', () =>
        this.#note(() => {
          this.refusal = readAnswer(incoming, text)
        }),
      )
    })
    // A connection that fails is closed as well, and that is what the rules look at.
    socket.on('error', () => this.#note(() => undefined))
    socket.on('close', (code, reason) =>
      this.#note(() => {
        this.closing ??= { code, reason: String(reason) }
      }),
    )
  }

  get isOver(): boolean {
    return this.closing !== undefined || this.refusal !== undefined
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  /** What the server chose of the offered subprotocols, and of the offered extensions. */
  get chosen(): { protocol: string; extensions: string } {
    return { protocol: this.#socket.protocol, extensions: this.#extensions }
  }

  /** What comes from here on until the condition holds, the stream ends or the time is over. */
  async hear(isEnough: (events: readonly SeenEvent[]) => boolean, patienceMs?: number): Promise<SeenEvent[]> {
    const from = this.events.length
    await this.wait(() => isEnough(this.events.slice(from)), patienceMs)
    return this.events.slice(from)
  }

  /** The same for what the server answers to something. */
  async after(send: () => void, isEnough: (events: readonly SeenEvent[]) => boolean): Promise<SeenEvent[]> {
    const heard = this.hear(isEnough)
    if (this.isOpen) send()
    return heard
  }

  /** The same, and all that came with it: what was sent before the answer to a ping is here with it. */
  async allAfter(
    send: () => void,
    isEnough: (events: readonly SeenEvent[]) => boolean,
  ): Promise<SeenEvent[]> {
    const from = this.events.length
    await this.after(send, isEnough)
    // A service that ignores one ping is not pinged again: every ping would have to be waited for.
    if (this.#answersPings) this.#answersPings = await this.ping()
    return this.events.slice(from)
  }

  /** Everything that is owed for what was sent before: answers come in order, and a bare config is always answered. */
  answers(send: () => void): Promise<SeenEvent[]> {
    const sendBoth = () => {
      send()
      this.text('{"type":"config"}')
    }
    return this.after(sendBoth, events => events.at(-1)?.type === 'config_ack')
  }

  async wait(isEnough: () => boolean, patienceMs = this.#patienceMs): Promise<void> {
    const deadline = performance.now() + patienceMs
    while (!isEnough() && !this.isOver) {
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return
      await this.#change(leftMs)
    }
  }

  text(message: string): void {
    this.#socket.send(message)
  }

  say(message: object): void {
    this.text(JSON.stringify(message))
  }

  audio(bytes: Uint8Array): void {
    this.#socket.send(bytes)
  }

  /** Whether a ping was answered. */
  async ping(): Promise<boolean> {
    const before = this.#pongs
    if (this.isOpen) this.#socket.ping()
    await this.wait(() => this.#pongs > before)
    return this.#pongs > before
  }

  async close(): Promise<Closing | undefined> {
    this.#socket.close(1000)
    await this.wait(() => false)
    return this.closing
  }

  /** Without a close frame. */
  vanish(): void {
    this.#socket.terminate()
  }

  #note(change: () => unknown): void {
    change()
    for (const wake of [...this.#waiting]) wake()
  }

  #change(mostMs: number): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, mostMs)
      this.#waiting.add(wake)
    })
  }
}

function sendBehind(request: ClientRequest, frames: readonly Buffer[]): void {
  request.once('finish', () => void request.socket?.write(Buffer.concat(frames.map(encodeBinary))))
  request.end()
}

/** A whole binary frame of 126 to 65,535 bytes, masked as clients must; a mask of zeros leaves the bytes as they are. */
function encodeBinary(payload: Buffer): Buffer {
  const header = Buffer.from([0x82, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0])
  return Buffer.concat([header, payload])
}

function readEvent(text: string, isBinary: boolean): SeenEvent {
  const json = isBinary ? undefined : parseJson(text)
  return { type: at(json, 'type'), json, isText: !isBinary }
}
