// Which request waits for which answer. The service answers each kind of request in order, so the oldest one gets the answer.

import type {
  ConfigAckEvent,
  ErrorEvent,
  FinalEvent,
  ResetAckEvent,
  ServerEvent,
} from '@sauti/protocol/stream'
import { createDeferred, type Deferred } from '../deferred.ts'

interface AnswerOf {
  final: FinalEvent
  reset_ack: ResetAckEvent
  config_ack: ConfigAckEvent
}
export type AnswerType = keyof AnswerOf
type Answer = AnswerOf[AnswerType]

interface Question {
  readonly type: AnswerType
  readonly deferred: Deferred<Answer>
  /** Sent by this module itself; listeners do not see the answer. */
  readonly isProbe: boolean
  /** When the answer is overdue; not known while the question has not left. */
  dueMs: number
}

/** Errors that refuse a `config` and leave the session as it was. */
const CONFIG_REFUSALS = new Set<ErrorEvent['code']>([
  'language_mismatch',
  'config_not_allowed',
  'invalid_message',
])

export class Replies {
  #questions: Question[] = []

  /** `left` resolves with the time at which the answer is overdue, once the question is on its way. */
  expect<T extends AnswerType>(type: T, left: Promise<number>, isProbe = false): Promise<AnswerOf[T]> {
    const question: Question = { type, deferred: createDeferred(), isProbe, dueMs: Number.POSITIVE_INFINITY }
    this.#questions.push(question)
    left.then(dueMs => {
      question.dueMs = dueMs
    }, question.deferred.reject)
    return question.deferred.promise as Promise<AnswerOf[T]>
  }

  /** True when the event answered a probe. */
  receive(event: ServerEvent): boolean {
    // A final that silence caused is not the answer to a flush.
    if (event.type === 'final' && event.cause === 'endpoint') return false
    if (event.type === 'final' || event.type === 'reset_ack' || event.type === 'config_ack') {
      const question = this.#take(event.type)
      question?.deferred.resolve(event)
      return question?.isProbe ?? false
    }
    if (event.type === 'error' && !event.fatal && CONFIG_REFUSALS.has(event.code)) {
      this.#take('config_ack')?.deferred.reject(event)
    }
    return false
  }

  fail(reason: unknown): void {
    for (const { deferred } of this.#questions.splice(0)) deferred.reject(reason)
  }

  get pending(): Promise<unknown>[] {
    return this.#questions.map(question => question.deferred.promise)
  }

  get waiting(): boolean {
    return this.#questions.length > 0
  }

  isOverdue(nowMs: number): boolean {
    return this.#questions.some(question => nowMs > question.dueMs)
  }

  #take(type: AnswerType): Question | undefined {
    const index = this.#questions.findIndex(question => question.type === type)
    return index < 0 ? undefined : this.#questions.splice(index, 1)[0]
  }
}
