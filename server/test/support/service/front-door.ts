// The front door of a running service, whichever way it was started: what a customer does there.

import { Agent } from 'node:https'
import type { AsrSession, CreditBalance, UsageSession } from '@sauti/protocol/http'
import type { ModelId } from '@sauti/protocol/models'
import { StreamClient } from '../streams/stream-client.ts'
import type { Customer } from './customer.ts'
import { ask } from './https.ts'

/** Where the service is. */
export interface Door {
  readonly port: number
  /** PEM of the authority to trust. */
  readonly ca: string
}

export interface Ended extends Pick<UsageSession, 'status' | 'audio_ms' | 'billable_ms'> {
  readonly available_ms: number
  readonly reserved_ms: number
  readonly consumed_ms: number
}

export interface JsonAnswer {
  readonly status: number
  readonly body: unknown
}

export class FrontDoor {
  readonly #door: Door
  readonly #agent: Agent

  constructor(door: Door) {
    this.#door = door
    this.#agent = new Agent({ ca: door.ca, keepAlive: false })
  }

  async http(method: string, path: string, key?: string, body?: unknown): Promise<JsonAnswer> {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (key) headers.authorization = `Bearer ${key}`
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await ask(`https://127.0.0.1:${this.#door.port}${path}`, {
      agent: this.#agent,
      method,
      headers,
      ...sent,
    })
    return { status: answer.status, body: JSON.parse(answer.body) }
  }

  async createSession(
    { key }: Customer,
    seconds = 60,
    model: ModelId = 'svc-asr-kikuyu-v1',
  ): Promise<AsrSession> {
    const { status, body } = await this.http('POST', '/v1/asr/sessions', key, {
      model,
      max_audio_seconds: seconds,
    })
    if (status !== 201) throw new Error(`POST answered ${status}: ${JSON.stringify(body)}`)
    return body as AsrSession
  }

  /** A client of this session, however its handshake ends. */
  open(session: AsrSession): StreamClient {
    return new StreamClient(session, this.#door.ca)
  }

  /** A session whose stream is ready. */
  async connect(account: Customer, seconds = 60, model?: ModelId): Promise<StreamClient> {
    return StreamClient.ready(await this.createSession(account, seconds, model), this.#door.ca)
  }

  async usage({ key }: Customer): Promise<CreditBalance> {
    return (await this.http('GET', '/v1/usage', key)).body as CreditBalance
  }

  /** The status and bill of the account's newest session, once it is settled. */
  async ended(account: Customer, patienceMs = 20_000): Promise<Ended> {
    for (const start = Date.now(); ; await new Promise(resolve => setTimeout(resolve, 20))) {
      const { available_ms, reserved_ms, consumed_ms, recent_sessions } = await this.usage(account)
      const session = recent_sessions[0]!
      if (session.completed_at !== null) {
        const { status, audio_ms, billable_ms } = session
        return { status, audio_ms, billable_ms, available_ms, reserved_ms, consumed_ms }
      }
      if (Date.now() - start > patienceMs) throw new Error(`the session is still ${session.status}`)
    }
  }
}
