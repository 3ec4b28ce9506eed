// This node among the others: it registers, sends heartbeats, notices when it is cut off from the database or was declared dead, drains
// and leaves. Its state is one value; one table lists the transitions.

import { randomUUID } from 'node:crypto'
import type { Queryable } from '../db/port.ts'
import type { Config } from '../settings/config.ts'
import { DatabaseClock } from './database-clock.ts'
import { RecentEndings } from './recent-endings.ts'
import {
  beat,
  countReservations,
  type Heartbeat,
  markDraining,
  markGone,
  registerNode,
  type Vitals,
} from './registry.ts'
import { ReturnTimes } from './return-times.ts'

export type MembershipState = 'joining' | 'ready' | 'cut_off' | 'draining' | 'gone'

const TRANSITIONS: Readonly<Record<MembershipState, readonly MembershipState[]>> = {
  joining: ['ready', 'draining', 'gone'],
  // Back to joining: the others declared it dead, so it returns under another id.
  ready: ['cut_off', 'joining', 'draining'],
  cut_off: ['ready', 'joining', 'draining'],
  draining: ['gone'],
  gone: [],
}

/** Why this node's streams must end now, unbilled. */
export type Loss = 'fenced' | 'cut_off'

export interface MembershipParts {
  readonly db: Queryable
  readonly version: string
  readonly settings: Pick<Config, 'heartbeatIntervalMs' | 'nodeLostAfterMs' | 'databasePatienceMs'>
  readonly vitals: () => Omit<Vitals, 'endedLastMinute'>
  readonly monotonicMs: () => number
  readonly onLoss: (loss: Loss) => void
}

/** What HTTP and the stream know of their node. */
export interface NodeSeat {
  /** Changes when the node was fenced and came back. */
  readonly id: string
  /** Whether sessions may be created here. */
  readonly isOpen: boolean
  readonly lostAfterMs: number
  readonly returns: Pick<ReturnTimes, 'promise'>
  /** After a pause of this process: makes sure that the others still regard this node as alive before it opens a session. */
  confirm(): Promise<void>
  noteEnding(): void
}

export class Membership implements NodeSeat {
  readonly clock: DatabaseClock
  readonly returns: ReturnTimes
  readonly #parts: MembershipParts
  readonly #endings: RecentEndings
  #state: MembershipState = 'joining'
  #id = randomUUID() as string
  #url = ''
  /** When the last heartbeat that arrived was sent, and the first of an unbroken series of them. */
  #lastBeatMs: number
  #steadySinceMs: number
  #beating: Promise<void> | undefined

  constructor(parts: MembershipParts) {
    this.#parts = parts
    this.clock = new DatabaseClock(parts.monotonicMs, new Date())
    this.#endings = new RecentEndings(parts.monotonicMs)
    this.returns = new ReturnTimes(() => this.#endings.lastMinute)
    this.#lastBeatMs = parts.monotonicMs()
    this.#steadySinceMs = this.#lastBeatMs
  }

  get id(): string {
    return this.#id
  }

  get state(): MembershipState {
    return this.#state
  }

  get isOpen(): boolean {
    return this.#state === 'ready'
  }

  get lostAfterMs(): number {
    return this.#parts.settings.nodeLostAfterMs
  }

  /**
   * After an outage of the database every node looks dead until its next heartbeat. So only a node whose own heartbeats have
   * arrived for as long as others may be silent declares others dead.
   */
  get mayJudge(): boolean {
    return this.#parts.monotonicMs() - this.#steadySinceMs >= this.lostAfterMs
  }

  noteEnding(): void {
    this.#endings.note()
  }

  /** Asks the database for its time, which everything after this goes by. */
  async learnTime(): Promise<void> {
    const askedAtMs = this.#parts.monotonicMs()
    const [row] = await this.#parts.db.query<Heartbeat>('SELECT clock_timestamp() AS at')
    this.clock.learn(row!.at, askedAtMs)
  }

  /** From here on sessions are placed on this node, and clients are sent to this address. */
  async join(url: string): Promise<void> {
    this.#url = url
    await this.#register('ready')
    this.#become('ready')
  }

  /** One at a time; a caller that asks while one is under way waits for that one. Rejects when the database does not answer. */
  beat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined
    })
    return this.#beating
  }

  /** A heartbeat, unless one has arrived within the interval. */
  async beatIfDue(): Promise<void> {
    const sinceMs = this.#parts.monotonicMs() - this.#lastBeatMs
    // Timers come a little early or late; a heartbeat must not wait for the next one because of a millisecond.
    if (sinceMs >= 0.9 * this.#parts.settings.heartbeatIntervalMs) await this.beat()
  }

  async confirm(): Promise<void> {
    if (this.#parts.monotonicMs() - this.#lastBeatMs >= this.lostAfterMs) await this.beat()
  }

  /** From here on nobody places a session here. */
  async startDraining(): Promise<void> {
    this.#become('draining')
    await markDraining(this.#parts.db, this.#id)
  }

  /** Reservations that clients were sent here with and that may still be opened. */
  waitingReservations(): Promise<number> {
    return countReservations(this.#parts.db, this.#id)
  }

  async leave(): Promise<void> {
    if (this.#state === 'joining') return
    await this.#beating?.catch(() => undefined)
    await markGone(this.#parts.db, this.#id)
    if (this.#state === 'draining') this.#become('gone')
  }

  async #beat(): Promise<void> {
    const { db, monotonicMs } = this.#parts
    const sentAtMs = monotonicMs()
    try {
      const heard = await withinPatience(beat(db, this.#id, this.#vitals()), this.#patienceMs)
      if (heard) this.#noteBeat(heard, sentAtMs)
      else await this.#comeBack()
    } catch (error) {
      this.#steadySinceMs = Number.POSITIVE_INFINITY
      const silentMs = monotonicMs() - this.#lastBeatMs
      const serves = this.#state === 'ready' || this.#state === 'draining'
      if (serves && silentMs >= this.#parts.settings.databasePatienceMs) this.#lose('cut_off')
      throw error
    }
  }

  #noteBeat({ at }: Heartbeat, sentAtMs: number): void {
    const wasSilent = sentAtMs - this.#lastBeatMs >= this.lostAfterMs
    if (wasSilent || this.#steadySinceMs === Number.POSITIVE_INFINITY) this.#steadySinceMs = sentAtMs
    this.#lastBeatMs = sentAtMs
    this.clock.learn(at, sentAtMs)
    if (this.#state === 'cut_off') this.#become('ready')
  }

  /** The others declared this node dead and ended its sessions. The node ends them too, and joins again as a new node. */
  async #comeBack(): Promise<void> {
    this.#lose('fenced')
    this.#id = randomUUID()
    await this.#register(this.#state === 'draining' ? 'draining' : 'ready')
    if (this.#state === 'joining') this.#become('ready')
  }

  async #register(state: 'ready' | 'draining'): Promise<void> {
    const { db, version, monotonicMs } = this.#parts
    const sentAtMs = monotonicMs()
    const node = { id: this.#id, version, url: this.#url, state }
    const { at } = await registerNode(db, node, this.#vitals())
    this.#lastBeatMs = sentAtMs
    this.#steadySinceMs = sentAtMs
    this.clock.learn(at, sentAtMs)
  }

  #lose(loss: Loss): void {
    if (this.#state !== 'draining') this.#become(loss === 'fenced' ? 'joining' : 'cut_off')
    this.#parts.onLoss(loss)
  }

  #vitals(): Vitals {
    const { models, capacity, openStreams } = this.#parts.vitals()
    return { models, capacity, openStreams, endedLastMinute: this.#endings.lastMinute }
  }

  /** A heartbeat that hangs in a broken connection must not keep the next one from trying another. */
  get #patienceMs(): number {
    return Math.max(1_000, this.#parts.settings.heartbeatIntervalMs)
  }

  #become(next: MembershipState): void {
    if (next === this.#state) return
    if (!TRANSITIONS[this.#state].includes(next))
      throw new Error(`a node that is ${this.#state} cannot be ${next}`)
    this.#state = next
  }
}

async function withinPatience<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database does not answer the heartbeat in time')), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
