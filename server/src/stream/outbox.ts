// Step 6, events on their way to the client. While the client reads slowly events wait here: deltas melt into the newest one,
// finals and acknowledgements are never dropped, and beyond a bound the client is a slow consumer.

import { ServiceError } from '@sauti/protocol/errors'
import { type DeltaEvent, encodeEvent, type ServerEvent } from '@sauti/protocol/stream'
import { UNSENT_HIGH_BYTES } from './settings.ts'

/** What the outbox needs of a socket. */
export interface Wire {
  /** Bytes handed over and not yet taken by the network. */
  readonly bufferedAmount: number
  send(text: string, sent: () => void): void
}

interface Waiting {
  event: ServerEvent
  text: string
}

export class Outbox {
  readonly #wire: Wire
  readonly #maxWaitingBytes: number
  readonly #onDrained: () => void
  #waiting: Waiting[] = []
  #waitingBytes = 0

  /** `onDrained` is called when nothing waits any more after something did. */
  constructor(wire: Wire, maxWaitingBytes: number, onDrained: () => void) {
    this.#wire = wire
    this.#maxWaitingBytes = maxWaitingBytes
    this.#onDrained = onDrained
  }

  get isBlocked(): boolean {
    return this.#waiting.length > 0
  }

  /** Throws slow_consumer when the client has left too much unread. */
  send(event: ServerEvent): void {
    if (!this.isBlocked && this.#wire.bufferedAmount < UNSENT_HIGH_BYTES) this.#put(encodeEvent(event))
    else this.#wait(event)
  }

  /** The last event of a connection goes behind everything that still waits. */
  sendLast(event: ServerEvent): void {
    for (const { text } of this.#waiting) this.#put(text)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#put(encodeEvent(event))
  }

  #put(text: string): void {
    this.#wire.send(text, this.#drain)
  }

  #wait(event: ServerEvent): void {
    const last = this.#waiting.at(-1)
    if (last && event.type === 'delta' && isDeltaOf(last.event, event.utterance)) {
      this.#replaceLast(last, { ...event, append: last.event.append + event.append })
    } else {
      this.#append(event)
    }
    if (this.#waitingBytes > this.#maxWaitingBytes) throw new ServiceError('slow_consumer')
  }

  #append(event: ServerEvent): void {
    const text = encodeEvent(event)
    this.#waiting.push({ event, text })
    this.#waitingBytes += text.length
  }

  #replaceLast(last: Waiting, event: DeltaEvent): void {
    this.#waitingBytes -= last.text.length
    last.event = event
    last.text = encodeEvent(event)
    this.#waitingBytes += last.text.length
  }

  /** Runs when the network has taken something; an arrow, so that a send costs no closure. */
  readonly #drain = (): void => {
    if (!this.isBlocked) return
    while (this.#waiting.length > 0 && this.#wire.bufferedAmount < UNSENT_HIGH_BYTES) {
      const { text } = this.#waiting.shift()!
      this.#waitingBytes -= text.length
      this.#put(text)
    }
    if (!this.isBlocked) this.#onDrained()
  }
}

function isDeltaOf(event: ServerEvent, utterance: number): event is DeltaEvent {
  return event.type === 'delta' && event.utterance === utterance
}
