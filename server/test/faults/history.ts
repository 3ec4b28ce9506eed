// One history: a client performs its operations one after the other and writes down what it was told.

import { setTimeout as wait } from 'node:timers/promises'
import { billableMs } from '@sauti/protocol/audio'
import type { AsrSession } from '@sauti/protocol/http'
import type { Answer } from '../support/service/https.ts'
import type { Client } from './client.ts'
import { askOnce, askUntilAnswered, FIRST_RETRY_MS, isAnswered, mayOutlive, TRIES } from './creating.ts'
import type { Operator } from './installation.ts'
import type { Operation } from './plan.ts'
import { SpokenStream } from './spoken-stream.ts'
import {
  type Attempt,
  beginAttempt,
  beginTelling,
  grantedRange,
  noteCompleted,
  noteCreated,
  noteUsage,
  type Told,
} from './told.ts'

const SERVICE_FAULTS: readonly number[] = [1011, 1012, 1013]

export interface Account {
  readonly accountId: string
  readonly creditMs: number
  readonly keys: readonly { readonly id: string; readonly secret: string }[]
}

export interface HistoryParts {
  readonly client: Client
  readonly operator: Operator
  readonly account: Account
  /** Resolves when the service runs. */
  readonly isUp: () => Promise<void>
  /** Its clock jumps, and every idempotency key is over at once: each request that was not answered may have made a session of its own. */
  readonly clockJumps: boolean
}

/** What a creation was answered with. */
interface Reserved {
  readonly attempt: Attempt
  readonly session: AsrSession
  readonly seconds: number
}

export class History {
  readonly told: Told
  readonly #parts: HistoryParts
  #keyIndex = 0
  #creations = 0
  #reserved: Reserved | undefined
  #stream: SpokenStream | undefined

  constructor(parts: HistoryParts) {
    this.#parts = parts
    this.told = beginTelling(parts.account.creditMs)
  }

  async perform(operation: Operation): Promise<void> {
    await this.#parts.isUp()
    switch (operation.type) {
      case 'create':
        return this.#create(operation.seconds, operation.hasKey ? this.#newKey() : undefined)
      case 'replay':
        return this.#replay()
      case 'create many':
        return this.#createMany()
      case 'replay at once':
        return this.#replayAtOnce()
      case 'cancel':
        return this.#cancel()
      case 'open':
        return this.#open()
      case 'open twice':
        return this.#openTwice()
      case 'audio':
        return this.#stream?.send(operation.samples)
      case 'flush':
        return this.#stream?.flush()
      case 'reset':
        return this.#stream?.reset()
      case 'oversized frame':
        return this.#stream?.overfill()
      case 'close':
        return this.#leave(stream => stream.close())
      case 'vanish':
        return this.#leave(stream => stream.vanish())
      case 'file':
        return this.#transcribe(operation.samples)
      case 'metered':
        return this.#streamMetered(operation.samples)
      case 'grant':
        return this.#grant(operation.ms)
      case 'revoke':
        return this.#revoke()
      case 'usage':
        return this.#readUsage()
    }
  }

  /** A client that cleans up: closes what is open, and cancels what it reserved. */
  async finish(): Promise<void> {
    await this.#parts.isUp()
    await this.#leave(stream => stream.close())
    await this.#cancel()
    await this.#readUsage()
  }

  get #key(): string {
    return this.#parts.account.keys[this.#keyIndex]!.secret
  }

  #newKey(): string {
    return `order-${++this.#creations}`
  }

  async #create(seconds: number, key: string | undefined): Promise<void> {
    const attempt = this.#begin('reservation', seconds * 1000, key)
    const ask = () => this.#parts.client.create(this.#key, seconds, key)
    const creating = key === undefined ? askOnce(ask) : askUntilAnswered(ask, this.#parts.isUp)
    const { answer, isFirst, isLate, requests } = await creating
    attempt.mayBeTakenAgain = key !== undefined && !isFirst
    const others = this.#parts.clockJumps ? requests - 1 : Number(isLate)
    this.#beginOthers(others, seconds * 1000, key)
    this.#noteCreation(attempt, answer, seconds, isFirst)
  }

  #noteCreation(attempt: Attempt, answer: Answer | undefined, seconds: number, isFirst: boolean): void {
    if (answer?.status === 201) {
      const session = JSON.parse(answer.body) as AsrSession
      noteCreated(attempt, session.id)
      attempt.expiresAtMs = Date.parse(session.expires_at)
      attempt.mostBilledMs = session.credits.reserved * 1000
      this.#reserved = { attempt, session, seconds }
    } else if (isFirst) {
      this.#forget(attempt)
      this.#noteRefusal(answer!)
    }
  }

  #noteRefusal({ status, body }: Answer): void {
    if (status === 401) this.told.wrongAnswers.push(`lost: a key that was never revoked is refused: ${body}`)
  }

  async #replay(): Promise<void> {
    const { attempt, seconds } = this.#reserved ?? {}
    if (attempt?.idempotencyKey === undefined || Date.now() > attempt.expiresAtMs) return
    const again = this.#begin('reservation', seconds! * 1000, attempt.idempotencyKey)
    const answer = await this.#parts.client.create(this.#key, seconds!, attempt.idempotencyKey)
    if (answer?.status === 201 && JSON.parse(answer.body).id !== attempt.sessionId)
      this.#noteCreation(again, answer, seconds!, true)
    else if (isAnswered(answer)) this.#forget(again)
    else {
      attempt.mayBeTakenAgain = true
      if (!this.#parts.clockJumps && !mayOutlive(attempt.expiresAtMs)) this.#forget(again)
    }
  }

  /** The account may hold three sessions, so some of these are refused. */
  async #createMany(): Promise<void> {
    await Promise.all(Array.from({ length: 5 }, () => this.#createAndCancel()))
  }

  async #createAndCancel(): Promise<void> {
    const attempt = this.#begin('reservation', 1000)
    const answer = await this.#parts.client.create(this.#key, 1, undefined)
    if (answer?.status === 201) {
      const { id } = JSON.parse(answer.body) as AsrSession
      noteCreated(attempt, id)
      await this.#cancelAttempt(attempt, id)
    } else if (answer !== undefined && answer.status !== 503) this.#forget(attempt)
  }

  /** Equal requests at the same moment make one session, unless the clock jumps between them. */
  async #replayAtOnce(): Promise<void> {
    const key = this.#newKey()
    const attempt = this.#begin('reservation', 2000, key)
    const ask = () => this.#parts.client.create(this.#key, 2, key)
    const answers = await Promise.all(Array.from({ length: 4 }, ask))
    const created = answers.filter(answer => answer?.status === 201)
    const unanswered = answers.filter(answer => !isAnswered(answer)).length
    attempt.mayBeTakenAgain = unanswered > 0
    if (created[0]) this.#noteCreation(attempt, created[0], 2, true)
    else if (unanswered === 0) this.#forget(attempt)
    const { clockJumps } = this.#parts
    if (clockJumps) this.#beginOthers(created[0] ? unanswered : unanswered - 1, 2000, key)
    const ids = new Set(created.map(answer => JSON.parse(answer!.body).id as string))
    if (ids.size > 1 && !clockJumps)
      this.told.wrongAnswers.push(`made twice: ${[...ids]} for one key at one moment`)
    ids.delete(attempt.sessionId!)
    if (clockJumps) await Promise.all([...ids].map(id => this.#giveBack(id, key)))
  }

  /** One that this client does not use. */
  async #giveBack(sessionId: string, key: string): Promise<void> {
    const attempt = this.#begin('reservation', 2000, key)
    noteCreated(attempt, sessionId)
    await this.#cancelAttempt(attempt, sessionId)
  }

  async #cancel(): Promise<void> {
    const reserved = this.#reserved
    if (reserved?.attempt.opened !== 'no') return
    this.#reserved = undefined
    await this.#cancelAttempt(reserved.attempt, reserved.session.id)
  }

  /** Safe to repeat. */
  async #cancelAttempt(attempt: Attempt, sessionId: string): Promise<void> {
    attempt.cancelled = 'maybe'
    // Its key is free again: an earlier request that was not answered and is only taken now makes a session of its own.
    if (attempt.mayBeTakenAgain) this.#begin('reservation', attempt.mostBilledMs, attempt.idempotencyKey)
    for (let tries = 0; tries < TRIES; tries++) {
      await this.#parts.isUp()
      const answer = await this.#parts.client.cancel(this.#key, sessionId)
      if (answer?.status === 200) attempt.cancelled = 'yes'
      if (answer?.status === 404) this.told.wrongAnswers.push(`lost: session ${sessionId} is not found`)
      if (isAnswered(answer)) return
      await wait(FIRST_RETRY_MS * 2 ** tries)
    }
  }

  async #open(): Promise<void> {
    const reserved = this.#reserved
    if (reserved?.attempt.opened !== 'no' || reserved.attempt.cancelled !== 'no') return
    await this.#leave(stream => stream.close())
    this.#stream = new SpokenStream(this.#parts.client.open(reserved.session), reserved.attempt)
    const refusal = await this.#stream.ready()
    const isLost = refusal === 'invalid_credential' || refusal === 'expired_credential'
    if (isLost && Date.now() < reserved.attempt.expiresAtMs - 1000)
      this.told.lostReservations.push(`${reserved.session.id} (${refusal})`)
  }

  /** Only the first may get the session; the second never disturbs it. */
  async #openTwice(): Promise<void> {
    const session = this.#reserved?.session
    await this.#open()
    if (!session || !this.#stream?.isOpen) return
    const second = this.#parts.client.open(session)
    await second.next('ready').then(
      () => this.told.wrongAnswers.push(`made twice: ${session.id} was opened twice`),
      () => undefined,
    )
    second.socket.terminate()
  }

  async #leave(how: (stream: SpokenStream) => Promise<void>): Promise<void> {
    const stream = this.#stream
    this.#stream = undefined
    if (stream) await how(stream)
  }

  /** Any answer other than 200 is free. */
  async #transcribe(samples: number): Promise<void> {
    const attempt = this.#begin('file', billableMs(samples))
    const answer = await this.#parts.client.transcribe(this.#key, samples)
    if (answer?.status === 200) {
      noteCreated(attempt, String(answer.headers['x-session-id']))
      noteCompleted(attempt)
    } else if (answer) attempt.isRefused = true
  }

  async #streamMetered(samples: number): Promise<void> {
    const attempt = this.#begin('metered', billableMs(samples))
    const { status, wasOpen, hasMetadata, code } = await this.#parts.client.streamMetered(this.#key, samples)
    if (status !== undefined && status !== 503) this.#forget(attempt)
    if (wasOpen) attempt.exists = true
    if (wasOpen && SERVICE_FAULTS.includes(code)) attempt.end = 'service fault'
    if (hasMetadata && code === 1000) noteCompleted(attempt)
  }

  async #grant(ms: number): Promise<void> {
    const isCertain = await this.#parts.operator.grant(this.#parts.account.accountId, ms)
    this.told.grants.push({ ms, isCertain })
  }

  /** The last key is kept: without one there is nothing left to do. */
  async #revoke(): Promise<void> {
    const { keys } = this.#parts.account
    if (this.#keyIndex + 1 >= keys.length) return
    const { id } = keys[this.#keyIndex]!
    this.#keyIndex += 1
    if (await this.#parts.operator.revoke(id)) this.told.revokedKeyIds.push(id)
  }

  async #readUsage(): Promise<void> {
    const knownIds = this.told.attempts.flatMap(attempt => attempt.sessionId ?? [])
    const { leastMs } = grantedRange(this.told)
    const answer = await this.#parts.client.usage(this.#key)
    if (answer?.status !== 200) return
    this.told.reads.push(noteUsage(answer.balance, knownIds, leastMs))
  }

  #begin(type: Attempt['type'], mostBilledMs: number, key?: string | undefined): Attempt {
    const attempt = beginAttempt(type, mostBilledMs, key)
    this.told.attempts.push(attempt)
    return attempt
  }

  /** Requests for the same session, of which each may have made another. */
  #beginOthers(count: number, mostBilledMs: number, key: string | undefined): void {
    for (let index = 0; index < count; index++) this.#begin('reservation', mostBilledMs, key)
  }

  /** It was refused: it made nothing. */
  #forget(attempt: Attempt): void {
    this.told.attempts.splice(this.told.attempts.indexOf(attempt), 1)
  }
}
