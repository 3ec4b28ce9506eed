// Sessions, one after the other. A reservation whose connection was never opened is used again: its credential is still valid,
// and while it lasts it would block the next one.

import type { AsrSession } from '@sauti/protocol/http'
import { SautiError } from '../errors.ts'
import type { SessionSlots } from './session-slots.ts'

export interface SessionWish {
  readonly model: string
  readonly max_audio_seconds: number
}

/** The part of a session response that is needed; a relay may leave out the rest. */
export type SessionGrant = Pick<AsrSession, 'id' | 'websocket_url' | 'websocket_protocols' | 'audio'>

/** Asks for a session: `client.createSession`, or in a browser a request to your own server, which holds the key. */
export type CreateSession = (
  wish: SessionWish,
  options: { readonly idempotencyKey: string; readonly signal: AbortSignal },
) => Promise<SessionGrant>

/** A credential lasts 60 seconds; near its end it is not worth a try. */
const CREDENTIAL_GOOD_MS = 45_000

export class SessionSource {
  readonly #create: CreateSession
  readonly #slots: SessionSlots
  readonly #signal: AbortSignal
  /** Stays until a session was created with it, so that a lost answer is asked for again and not paid for twice. */
  #idempotencyKey = crypto.randomUUID()
  #unused: { readonly grant: SessionGrant; readonly untilMs: number } | undefined

  constructor(create: CreateSession, slots: SessionSlots, signal: AbortSignal) {
    this.#create = create
    this.#slots = slots
    this.#signal = signal
  }

  async use<T>(wish: SessionWish, work: (grant: SessionGrant) => Promise<T>): Promise<T> {
    const reservation = await this.#reserve(wish)
    try {
      const result = await work(reservation.grant)
      this.#slots.release()
      return result
    } catch (error) {
      const neverOpened = error instanceof SautiError && error.code === 'connection_failed'
      if (neverOpened && !this.#signal.aborted) this.#unused = reservation
      else this.#slots.release()
      throw error
    }
  }

  /** No further session is wanted. */
  close(): void {
    if (this.#unused) this.#slots.release()
    this.#unused = undefined
  }

  async #reserve(wish: SessionWish) {
    const kept = this.#unused
    this.#unused = undefined
    if (kept && performance.now() < kept.untilMs) return kept
    if (kept) this.#slots.release()
    const options = { idempotencyKey: this.#idempotencyKey, signal: this.#signal }
    const grant = await this.#slots.acquire(() => this.#create(wish, options), this.#signal)
    this.#idempotencyKey = crypto.randomUUID()
    return { grant, untilMs: performance.now() + CREDENTIAL_GOOD_MS }
  }
}
