// What waits to be sent, in order: audio and messages kept until `ready`, then handed over no faster than the network takes it.

import { MAX_FRAME_BYTES } from '@sauti/protocol/audio'
import { createDeferred, type Deferred } from '../deferred.ts'

/** Above this many bytes in the socket, `send` makes its caller wait: 8 seconds of audio. */
const HIGH_WATER_BYTES = 256 * 1024
/** A WebSocket does not say when it has drained, so it is asked. */
const POLL_MS = 20

type Content = string | Uint8Array<ArrayBuffer>

interface Socket {
  readonly bufferedAmount: number
  send(content: Content): void
}

interface Parcel {
  readonly content: Content
  readonly taken: Deferred<void>
}

export class Outbox {
  readonly #parcels: Parcel[] = []
  readonly #socket: Socket
  readonly #onTaken: (bytes: number) => void
  #started = false
  #poll: ReturnType<typeof setTimeout> | undefined

  constructor(socket: Socket, onTaken: (bytes: number) => void) {
    this.#socket = socket
    this.#onTaken = onTaken
  }

  /** From now on parcels leave; until then they are kept. */
  start(): void {
    this.#started = true
    this.#pump()
  }

  /** Resolves when the socket has taken it and has room for more. */
  put(content: Content): Promise<void> {
    const parcels = split(content).map(piece => ({ content: piece, taken: createDeferred<void>() }))
    this.#parcels.push(...parcels)
    this.#pump()
    return parcels.at(-1)?.taken.promise ?? Promise.resolve()
  }

  fail(reason: unknown): void {
    clearTimeout(this.#poll)
    this.#started = false
    for (const { taken } of this.#parcels.splice(0)) taken.reject(reason)
  }

  /** Settles when everything that is in the box now has left. */
  get lastTaken(): Promise<void> | undefined {
    return this.#parcels.at(-1)?.taken.promise
  }

  #pump(): void {
    if (!this.#started) return
    clearTimeout(this.#poll)
    while (this.#parcels.length > 0) {
      if (this.#socket.bufferedAmount >= HIGH_WATER_BYTES) {
        this.#poll = setTimeout(() => this.#pump(), POLL_MS)
        return
      }
      const { content, taken } = this.#parcels.shift()!
      this.#socket.send(content)
      this.#onTaken(typeof content === 'string' ? 0 : content.byteLength)
      taken.resolve()
    }
  }
}

function split(content: Content): Content[] {
  if (typeof content === 'string') return [content]
  const frames: Content[] = []
  for (let start = 0; start < content.byteLength; start += MAX_FRAME_BYTES) {
    frames.push(content.subarray(start, start + MAX_FRAME_BYTES))
  }
  return frames
}
