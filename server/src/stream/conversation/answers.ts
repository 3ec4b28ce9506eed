// Answers that the client waits for, in the order in which it asked. The engine answers in that order; what needs no engine, an
// acknowledgement because nothing changed, a refusal or an answer of the dialect, waits here for its turn.

import type { ConfigAckEvent } from '@sauti/protocol/stream'
import { Fifo } from '../socket/fifo.ts'
import type { Reading } from './meter.ts'

/** Who ended the utterance: nobody waits for the final of an endpoint. */
export type FlushCause = 'client' | 'endpoint'

export type Owed =
  /** The meter is read when the flush is asked for, so audio sent after it does not show in its final. */
  | {
      readonly type: 'final'
      readonly askedAtMs: number
      readonly reading: Reading
      readonly cause: FlushCause
    }
  | { readonly type: 'reset' }
  | { readonly type: 'config'; readonly event: ConfigAckEvent; readonly needsEngine: boolean }
  /** A refusal, or what the dialect answers by itself. */
  | { readonly type: 'reply'; readonly send: () => void }

export class Answers {
  readonly #owed = new Fifo<Owed>()
  readonly #sendConfigAck: (event: ConfigAckEvent) => void

  constructor(sendConfigAck: (event: ConfigAckEvent) => void) {
    this.#sendConfigAck = sendConfigAck
  }

  get length(): number {
    return this.#owed.length
  }

  owe(answer: Owed): void {
    this.#owed.push(answer)
    this.sendReady()
  }

  /** The engine gave the next answer. Anything else than the one asked for would be a fault of ours. */
  take<Type extends Owed['type']>(type: Type): Extract<Owed, { type: Type }> {
    const next = this.#owed.shift()
    if (next?.type !== type)
      throw new Error(`the engine answered ${type}, owed is ${next?.type ?? 'nothing'}`)
    return next as Extract<Owed, { type: Type }>
  }

  /** Also to be called after the answer that take() gave was sent. */
  sendReady(): void {
    for (let next = this.#owed.peek(); next && this.#sendUnlessEngine(next); next = this.#owed.peek()) {
      this.#owed.shift()
    }
  }

  /** False where only the engine can answer. */
  #sendUnlessEngine(next: Owed): boolean {
    if (next.type === 'reply') next.send()
    else if (next.type === 'config' && !next.needsEngine) this.#sendConfigAck(next.event)
    else return false
    return true
  }
}
