// Step 6, events on their way to the client. While the client reads slowly events wait here: deltas are merged into the newest one,
// finals and acknowledgements are never dropped, and beyond a bound the client is a slow consumer.

import { ServiceError } from '@sauti/protocol/errors'
import type { Dialect, InterimEvent, Reply, StreamEvent } from '../dialect.ts'
import { UNSENT_HIGH_BYTES } from '../settings.ts'
import { Fifo } from './fifo.ts'

/** What the outbox needs of a socket. */
export interface Sink {
  /** Bytes handed over and not yet taken by the network. */
  readonly bufferedAmount: number
  send(text: string, sent: () => void): void
}

/** An event, or a text that the dialect writes itself. */
export type Outgoing = StreamEvent | Reply

interface Waiting {
  item: Outgoing
  bytes: number
}

export interface OutboxParts {
  readonly sink: Sink
  readonly dialect: Pick<Dialect, 'encode'>
  readonly maxWaitingBytes: number
  /** Called when nothing waits any more after something did. */
  readonly onDrained: () => void
}

export class Outbox {
  readonly #parts: OutboxParts
  readonly #waiting = new Fifo<Waiting>()
  #newest: Waiting | undefined
  #waitingBytes = 0

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  get isBlocked(): boolean {
    return this.#waiting.length > 0
  }

  /** Throws slow_consumer when the client has left too much unread. */
  send(item: Outgoing): void {
    if (!this.isBlocked && this.#hasRoom) this.#put(item)
    else this.#wait(item)
  }

  /** The last event of a connection comes after everything that still waits. */
  sendLast(event: StreamEvent): void {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#put(next.item)
    this.#waitingBytes = 0
    this.#put(event)
  }

  get #hasRoom(): boolean {
    return this.#parts.sink.bufferedAmount < UNSENT_HIGH_BYTES
  }

  /** Encoded only now, so that a dialect sees every event once and in the order of the wire. */
  #put(item: Outgoing): void {
    const { sink, dialect } = this.#parts
    const texts = item.type === 'reply' ? [item.write()] : dialect.encode(item)
    for (const text of texts) sink.send(text, this.#drain)
  }

  #wait(item: Outgoing): void {
    const newest = this.isBlocked ? this.#newest : undefined
    if (newest && item.type === 'delta' && isDeltaOf(newest.item, item.utterance)) {
      this.#replace(newest, { ...item, append: newest.item.append + item.append })
    } else {
      this.#append(item)
    }
    if (this.#waitingBytes > this.#parts.maxWaitingBytes) throw new ServiceError('slow_consumer')
  }

  #append(item: Outgoing): void {
    this.#newest = { item, bytes: sizeOf(item) }
    this.#waiting.push(this.#newest)
    this.#waitingBytes += this.#newest.bytes
  }

  #replace(waiting: Waiting, item: Outgoing): void {
    this.#waitingBytes -= waiting.bytes
    waiting.item = item
    waiting.bytes = sizeOf(item)
    this.#waitingBytes += waiting.bytes
  }

  /** Runs when the network has taken something; an arrow, so that a send costs no closure. */
  readonly #drain = (): void => {
    if (!this.isBlocked) return
    while (this.isBlocked && this.#hasRoom) {
      const { item, bytes } = this.#waiting.shift()!
      this.#waitingBytes -= bytes
      this.#put(item)
    }
    if (!this.isBlocked) this.#parts.onDrained()
  }
}

/** Close enough for a bound: what it takes on our own wire. */
function sizeOf(item: Outgoing): number {
  return item.type === 'reply' ? item.write().length : JSON.stringify(item).length
}

function isDeltaOf(item: Outgoing, utterance: number): item is InterimEvent {
  return item.type === 'delta' && item.utterance === utterance
}
