// The deployment under test: sends requests, opens streams, remembers what every scene recorded, and ends each session that was created.
// Where a rate limit is reached it waits, because a deployment may have one.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Ask, type Connecting, exchange } from './exchange.ts'
import { RecordedStream } from './recorded-stream.ts'
import { at, Unmet } from './see.ts'

export interface Target extends Connecting {
  readonly key: string
  /** Speech to try the models with: 16 kHz PCM16, by the id of the model. */
  readonly speech: Readonly<Record<string, Buffer>>
}

export interface Session {
  readonly id: string
  readonly url: string
  readonly protocols: readonly [string, string]
  readonly answer: Answer
}

export interface Order {
  readonly model?: string
  readonly max_audio_seconds?: number
}

/** What can be run in a world, once. */
export interface Playable<Recording> {
  /** What must have been run before. */
  readonly needs?: readonly Playable<unknown>[]
  play(world: World): Promise<Recording>
}

export const KIKUYU = 'svc-asr-kikuyu-v1'
export const DHOLUO = 'svc-asr-dholuo-v1'
const SESSIONS = '/v1/asr/sessions'
/** Another session of the account may hold the only place for as long as its credential is valid. */
const MOST_WAITS = 8
const MOST_WAIT_SECONDS = 60
const LOOK_AGAIN_MS = 100

export class World {
  readonly target: Target
  readonly #tell: (line: string) => void
  readonly #played = new Map<Playable<unknown>, Promise<unknown>>()
  /** Created and, as far as is known, not over. */
  readonly #pending = new Map<string, Session>()
  readonly #created = new Set<string>()

  constructor(target: Target, tell: (line: string) => void) {
    this.target = target
    this.#tell = tell
  }

  get sessionsCreated(): number {
    return this.#created.size
  }

  /** Runs a scene once; later calls get the same recording, or the same failure. */
  play<Recording>(scene: Playable<Recording>): Promise<Recording> {
    const played = this.#played.get(scene) ?? this.#begin(scene)
    this.#played.set(scene, played)
    return played as Promise<Recording>
  }

  async #begin(scene: Playable<unknown>): Promise<unknown> {
    for (const needed of scene.needs ?? []) await this.play(needed)
    try {
      return await scene.play(this)
    } finally {
      for (const session of this.#pending.values()) await this.end(session)
    }
  }

  /** Any request, with the key unless it says otherwise. A rate that is exceeded is waited for. */
  async ask({ headers = {}, ...ask }: Ask): Promise<Answer> {
    const authorization = { authorization: `Bearer ${this.target.key}` }
    const request = { ...ask, headers: { ...authorization, ...headers } }
    return this.#patiently(request, answer => at(answer.json, 'error.code') === 'request_rate_exceeded')
  }

  askWithoutKey(ask: Ask): Promise<Answer> {
    return this.#patiently(ask, answer => at(answer.json, 'error.code') === 'request_rate_exceeded')
  }

  /** A request for a session, answered however it may be. */
  order(order: Order, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask(orderOf(order, headers))
  }

  /** The same; waits while other sessions of the account are open, or the deployment is full. */
  orderPatiently(order: Order, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const request = orderOf(order, { authorization: `Bearer ${this.target.key}`, ...headers })
    return this.#patiently(request, ({ status }) => status === 429 || status === 503)
  }

  /** A new session. Waits for the account's other sessions, and fails where none can be created. */
  async session(order: Order = {}, headers: Readonly<Record<string, string>> = {}): Promise<Session> {
    const answer = await this.orderPatiently(order, headers)
    const session = readSession(answer)
    if (!session)
      throw new Unmet(
        `no session could be created: ${answer.status} ${String(at(answer.json, 'error.code'))}`,
      )
    return session
  }

  /** Opens a stream; the session ends with it. */
  open(session: Session, early: readonly Buffer[] = []): RecordedStream {
    this.#pending.delete(session.id)
    return new RecordedStream(session, { ...this.target, early })
  }

  /** Offers other subprotocols than those of the session. */
  offer({ url }: Session, protocols: readonly string[]): RecordedStream {
    return new RecordedStream({ url, protocols }, this.target)
  }

  /** A stream that is ready, or ended before. */
  async connect(session: Session): Promise<RecordedStream> {
    const stream = this.open(session)
    await stream.wait(() => stream.events.some(({ type }) => type === 'ready'))
    return stream
  }

  /** Gives a session back that was not opened: cancelled where the deployment knows how, else opened and closed. */
  async end(session: Session): Promise<void> {
    this.#pending.delete(session.id)
    const { status } = await this.ask({ method: 'DELETE', path: `${SESSIONS}/${session.id}` })
    if (status === 200) return
    const stream = await this.connect(session)
    await stream.close()
  }

  async usage(): Promise<Answer> {
    return this.ask({ path: '/v1/usage' })
  }

  /** The session in the usage list once it is over, which need not be at once; undefined where that does not happen. */
  async bill({ id }: Session): Promise<unknown> {
    const deadline = performance.now() + this.target.patienceMs
    for (;;) {
      const found = usageOf(await this.usage(), id)
      if (typeof at(found, 'completed_at') === 'string' || performance.now() > deadline) return found
      await sleep(LOOK_AGAIN_MS)
    }
  }

  async #patiently(ask: Ask, mustWait: (answer: Answer) => boolean): Promise<Answer> {
    for (let waits = 0; ; waits++) {
      const answer = await exchange(this.target, ask)
      this.#remember(ask, answer)
      if (!mustWait(answer) || waits === MOST_WAITS) return answer
      await this.#wait(answer)
    }
  }

  async #wait({ headers, json }: Answer): Promise<void> {
    const told = Number(headers['retry-after'] ?? 1)
    const seconds = Math.min(Math.max(Number.isFinite(told) ? told : 1, 1), MOST_WAIT_SECONDS)
    this.#tell(`waiting ${seconds} s: ${String(at(json, 'error.code'))}`)
    await sleep(seconds * 1000)
  }

  /**
   * Also what a broken deployment created although it should have refused. Sessions are counted by their id: of two requests with one
   * Idempotency-Key, the replayed answer may be the first to arrive.
   */
  #remember({ method, path }: Ask, answer: Answer): void {
    const session = method === 'POST' && path === SESSIONS ? readSession(answer) : undefined
    if (!session) return
    this.#created.add(session.id)
    this.#pending.set(session.id, session)
  }
}

function orderOf(order: Order, headers: Readonly<Record<string, string>>): Ask {
  return {
    method: 'POST',
    path: SESSIONS,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: KIKUYU, ...order }),
  }
}

export function readSession(answer: Answer): Session | undefined {
  const [id, url] = [at(answer.json, 'id'), at(answer.json, 'websocket_url')]
  const protocols = at(answer.json, 'websocket_protocols')
  const isSession =
    answer.status < 300 && typeof id === 'string' && typeof url === 'string' && Array.isArray(protocols)
  return isSession ? { id, url, protocols: protocols as [string, string], answer } : undefined
}

export function usageOf(usage: Answer, id: string): unknown {
  const sessions = at(usage.json, 'recent_sessions')
  return Array.isArray(sessions) ? sessions.find(session => at(session, 'id') === id) : undefined
}
