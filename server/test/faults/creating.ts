// How a client of a history creates a session, as the documentation recommends: without an answer it tries again with the same idempotency
// key. Without a key it does not try again.

import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../support/service/https.ts'

export const TRIES = 5
export const FIRST_RETRY_MS = 100
/** A creation that is repeated later than this may find its idempotency key forgotten. */
const REPLAY_WINDOW_MS = 50_000
/** A busy service may take a request so long after its client has given up. */
const LATE_MS = 30_000

export interface Creation {
  readonly answer: Answer | undefined
  /** The first request was answered, so that nothing is left that the service could still take. */
  readonly isFirst: boolean
  /** So late that one of the requests may have made a session after the key of another was forgotten. */
  readonly isLate: boolean
  readonly requests: number
}

export async function askUntilAnswered(
  ask: () => Promise<Answer | undefined>,
  isUp: () => Promise<void>,
): Promise<Creation> {
  const startedMs = Date.now()
  const isLate = () => Date.now() - startedMs > REPLAY_WINDOW_MS
  let answer = await ask()
  const isFirst = isAnswered(answer)
  let requests = 1
  while (!isAnswered(answer) && requests < TRIES) {
    await wait(FIRST_RETRY_MS * 2 ** requests)
    await isUp()
    if (isLate()) break
    answer = await ask()
    requests += 1
  }
  return { answer, isFirst, isLate: !isFirst && isLate(), requests }
}

export async function askOnce(ask: () => Promise<Answer | undefined>): Promise<Creation> {
  const answer = await ask()
  return { answer, isFirst: isAnswered(answer), isLate: false, requests: 1 }
}

/** Whether a request that was sent before, and was not answered, may be taken when the key of this reservation is forgotten. */
export function mayOutlive(expiresAtMs: number): boolean {
  return Date.now() > expiresAtMs - LATE_MS
}

/** A 503 may come from a service that lost its database after the transaction, so it says nothing for certain. */
export function isAnswered(answer: Answer | undefined): answer is Answer {
  return answer !== undefined && answer.status !== 503
}
