// A client of the stream for tests: the plain `ws` client, everything it was told, and ways to wait for more.

import { once } from 'node:events'
import type { ConfigMessage, ServerEvent } from '@sauti/protocol/stream'
import { WebSocket } from 'ws'

export interface SessionAnswer {
  readonly id: string
  readonly websocket_url: string
  readonly websocket_protocols: readonly [string, string]
}

export interface Closing {
  readonly code: number
  readonly reason: string
}

export type EventOf<Type extends ServerEvent['type']> = Extract<ServerEvent, { type: Type }>

const PATIENCE_MS = 20_000

export class StreamClient {
  readonly socket: WebSocket
  readonly events: ServerEvent[] = []
  readonly closed: Promise<Closing>
  #taken = 0
  #waiting: () => void = () => undefined

  constructor(
    session: SessionAnswer,
    ca: string,
    protocols: readonly string[] = session.websocket_protocols,
  ) {
    this.socket = new WebSocket(session.websocket_url, [...protocols], { ca, perMessageDeflate: true })
    this.socket.on('message', data => {
      this.events.push(JSON.parse(String(data)))
      this.#waiting()
    })
    this.socket.on('error', () => undefined)
    this.closed = new Promise(resolve => {
      this.socket.on('close', (code, reason) => {
        resolve({ code, reason: String(reason) })
        this.#waiting()
      })
    })
  }

  static async ready(session: SessionAnswer, ca: string): Promise<StreamClient> {
    const client = new StreamClient(session, ca)
    await client.next('ready')
    return client
  }

  /** Takes events in order up to and including the next of this type. */
  async next<Type extends ServerEvent['type']>(type: Type): Promise<EventOf<Type>> {
    for (;;) {
      const event = await this.nextEvent()
      if (event.type === type) return event as EventOf<Type>
      if (event.type === 'error' && event.fatal) throw new Error(`waiting for ${type}, got ${event.code}`)
    }
  }

  async nextEvent(): Promise<ServerEvent> {
    const deadline = AbortSignal.timeout(PATIENCE_MS)
    while (this.#taken >= this.events.length) {
      if (deadline.aborted)
        throw new Error(`no event within ${PATIENCE_MS} ms; so far ${JSON.stringify(this.events)}`)
      if (this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`closed; events ${JSON.stringify(this.events)}`)
      await new Promise<void>(resolve => {
        this.#waiting = resolve
        deadline.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    this.#taken += 1
    return this.events[this.#taken - 1]!
  }

  all<Type extends ServerEvent['type']>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type)
  }

  get errorCodes(): string[] {
    return this.all('error').map(event => event.code)
  }

  audio(bytes: Uint8Array): void {
    this.socket.send(bytes)
  }

  /** Sends this much silence in frames of at most 32,000 bytes. */
  silence(samples: number): void {
    for (let left = samples * 2; left > 0; left -= 32_000) this.audio(Buffer.alloc(Math.min(left, 32_000)))
  }

  /** Resolves when the service has taken everything that was sent so far: it answers in order. Not while it reads no more. */
  async arrived(): Promise<void> {
    this.socket.ping()
    await once(this.socket, 'pong')
  }

  text(message: string): void {
    this.socket.send(message)
  }

  config(settings: Omit<ConfigMessage, 'type'> = {}): void {
    this.text(JSON.stringify({ type: 'config', ...settings }))
  }

  flush(): void {
    this.text('{"type":"flush"}')
  }

  reset(): void {
    this.text('{"type":"reset"}')
  }

  async close(): Promise<Closing> {
    this.socket.close(1000)
    return this.closed
  }
}
