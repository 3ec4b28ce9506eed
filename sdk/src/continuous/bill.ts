// What the sessions of a stream cost. A session that ended in order reported its cost with its last `final`; of one that broke off
// only the service knows how much of the audio had arrived, so it is asked, where there is a client with a key.

import { billableMs } from '@sauti/protocol/audio'
import type { CreditBalance } from '@sauti/protocol/http'
import { waitMs } from '../wait.ts'

export interface Billing {
  /** Billed in all. Where it is not exact, the most that it can be. */
  readonly billed_ms: number
  /** False while a session that broke off has not been settled, or where the service cannot be asked. */
  readonly is_exact: boolean
  readonly sessions: number
}

export type ReadUsage = () => Promise<Pick<CreditBalance, 'recent_sessions'>>

interface Entry {
  sentSamples: number
  billedMs: number
  isExact: boolean
}

/** The service lists its last 20 sessions, so we ask before one of ours is among the older ones. */
const ASK_AFTER_SESSIONS = 8
const SETTLING_TRIES = 8
const SETTLING_POLL_MS = 250

export class Bill {
  readonly #entries = new Map<string, Entry>()
  readonly #readUsage: ReadUsage | undefined

  constructor(readUsage: ReadUsage | undefined) {
    this.#readUsage = readUsage
  }

  get total(): Billing {
    const entries = [...this.#entries.values()]
    const billed_ms = entries.reduce((sum, entry) => sum + mostOf(entry), 0)
    return { billed_ms, is_exact: entries.every(isSettled), sessions: entries.length }
  }

  /** Audio was sent; whether it arrives is not known yet. */
  send(sessionId: string, samples: number): void {
    this.#entryOf(sessionId).sentSamples += samples
  }

  /** A `final` reported what the session costs so far. */
  confirm(sessionId: string, billedMs: number): void {
    this.#entryOf(sessionId).billedMs = billedMs
  }

  /** The session ended in order: nothing was sent after its last `final`. */
  close(sessionId: string): void {
    this.#entryOf(sessionId).isExact = true
  }

  /** Asks for what is not known, before it is too long ago. */
  async keepUp(): Promise<void> {
    const unsettled = [...this.#entries.values()].filter(entry => !isSettled(entry))
    if (unsettled.length >= ASK_AFTER_SESSIONS) await this.#ask()
  }

  /** A broken session is settled a moment after the service has noticed; waits for that, but not for ever. */
  async settle(): Promise<Billing> {
    for (let tries = 0; this.#readUsage && !this.total.is_exact && tries < SETTLING_TRIES; tries++) {
      if (tries > 0) await waitMs(SETTLING_POLL_MS)
      await this.#ask()
    }
    return this.total
  }

  /** The text matters more than its price: where the request fails, the bill stays an estimate. */
  async #ask(): Promise<void> {
    const usage = await this.#readUsage?.().catch(() => undefined)
    for (const { id, status, billable_ms } of usage?.recent_sessions ?? []) {
      const entry = this.#entries.get(id)
      if (!entry || status === 'active' || status === 'reserved') continue
      Object.assign(entry, { billedMs: billable_ms, isExact: true })
    }
  }

  #entryOf(sessionId: string): Entry {
    const entry = this.#entries.get(sessionId) ?? { sentSamples: 0, billedMs: 0, isExact: false }
    this.#entries.set(sessionId, entry)
    return entry
  }
}

function isSettled({ isExact, sentSamples }: Entry): boolean {
  return isExact || sentSamples === 0
}

function mostOf({ isExact, billedMs, sentSamples }: Entry): number {
  return isExact ? billedMs : Math.max(billedMs, billableMs(sentSamples))
}
