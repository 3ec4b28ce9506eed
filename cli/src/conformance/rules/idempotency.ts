// Idempotency-Key (4.2, 8), concurrency (7, 8) and cancelling.

import type { Answer } from '../exchange.ts'
import { type Rule, rulesOf } from '../rule.ts'
import { defaults } from '../scenes/defaults.ts'
import { type Reservation, reservation } from '../scenes/reservation.ts'
import { at, isUuid, NotSeen, same, see } from '../see.ts'

const replays = rulesOf(reservation, [
  {
    id: 'idempotency.same-session',
    section: '4.2',
    text: 'The same Idempotency-Key and body return the same reservation.',
    look({ created, replayed }) {
      same(replayed.status, 201, 'the status')
      same(at(replayed.json, 'id'), at(created.json, 'id'), 'the id')
    },
  },
  {
    id: 'idempotency.same-bytes',
    section: 'decisions: HTTP',
    text: 'A replay is the same to the byte, credential included.',
    look: ({ created, replayed }) => see(replayed.text === created.text, 'the bodies differ'),
  },
  {
    id: 'idempotency.marked',
    section: 'decisions: HTTP',
    text: 'A replay carries Idempotent-Replayed: true, a new session does not.',
    look({ created, replayed }) {
      same(replayed.headers['idempotent-replayed'], 'true', 'Idempotent-Replayed of the replay')
      same(created.headers['idempotent-replayed'], undefined, 'Idempotent-Replayed of the new session')
    },
  },
  {
    id: 'idempotency.request-id',
    section: 'decisions: HTTP',
    text: 'A replay has an X-Request-Id of its own.',
    look({ created, replayed }) {
      isUuid(replayed.headers['x-request-id'], 'X-Request-Id')
      see(replayed.headers['x-request-id'] !== created.headers['x-request-id'], 'both requests have one id')
    },
  },
  {
    id: 'idempotency.reserves-once',
    section: '4.2',
    text: 'A replay reserves nothing more.',
    look: ({ during, afterReplay }) =>
      same(at(afterReplay.json, 'reserved_ms'), at(during.json, 'reserved_ms'), 'reserved_ms'),
  },
  {
    id: 'idempotency.conflict',
    section: '7',
    text: 'The same Idempotency-Key with another body is 409 idempotency_conflict.',
    look({ conflicting }) {
      same(conflicting.status, 409, 'the status')
      same(at(conflicting.json, 'error.type'), 'idempotency_conflict', 'error.type')
    },
  },
])

const defaulted = rulesOf(defaults, [
  {
    id: 'idempotency.at-once',
    section: 'decisions: HTTP',
    text: 'Two equal requests at the same moment make one session.',
    look({ twins: [one, other] }) {
      same(one.status, 201, 'the status of the first')
      same(other.status, 201, 'the status of the second')
      same(at(other.json, 'id'), at(one.json, 'id'), 'the id of the second')
    },
  },
  {
    id: 'idempotency.after-defaults',
    section: 'decisions: HTTP',
    text: '{model} and {model, max_audio_seconds: 60} are the same request.',
    look: ({ twins, writtenOut }) => same(at(writtenOut.json, 'id'), at(twins[0].json, 'id'), 'the id'),
  },
])

function refusedNeighbour({ neighbour }: Reservation): Answer {
  if (neighbour.status === 201) throw new NotSeen('the account may have several sessions')
  return neighbour
}

const concurrency = rulesOf(reservation, [
  {
    id: 'concurrency.refused',
    section: '8',
    text: 'An account with an active or reserved session is refused a new one: 429 concurrency_limit_exceeded.',
    look(recording) {
      const { status, json } = refusedNeighbour(recording)
      same(status, 429, 'the status')
      same(at(json, 'error.type'), 'rate_limit_error', 'error.type')
      same(at(json, 'error.code'), 'concurrency_limit_exceeded', 'error.code')
    },
  },
  {
    id: 'concurrency.retry-after',
    section: '7',
    text: 'A 429 carries Retry-After, an integer of seconds.',
    look: recording =>
      see(/^\d+$/.test(refusedNeighbour(recording).headers['retry-after'] ?? ''), 'Retry-After is missing'),
  },
  {
    id: 'concurrency.retry-after-expiry',
    section: 'decisions: HTTP',
    text: 'Retry-After is the time until the reservation expires.',
    look(recording) {
      const seconds = Number(refusedNeighbour(recording).headers['retry-after'])
      see(seconds >= 1 && seconds <= 60, `Retry-After is ${seconds}`)
    },
  },
])

const CANCEL = 'reference: cancel'

/** Cancelling is our addition: a deployment without it is not wrong. */
function cancelled({ cancelled: answer }: Reservation): Answer {
  const code = at(answer.json, 'error.code')
  if (code === 'route_not_found' || code === 'method_not_allowed')
    throw new NotSeen('this deployment does not support cancelling')
  return answer
}

const cancelling: readonly Rule[] = rulesOf(reservation, [
  {
    id: 'cancel.ok',
    section: CANCEL,
    text: 'DELETE /v1/asr/sessions/{id} gives a reservation back: 200, expired, nothing billed.',
    look(recording) {
      const { status, json } = cancelled(recording)
      same(status, 200, 'the status')
      same(at(json, 'id'), recording.session?.id, 'the id')
      same(at(json, 'status'), 'expired', 'status')
      same(at(json, 'billable_ms'), 0, 'billable_ms')
    },
  },
  {
    id: 'cancel.repeats',
    section: CANCEL,
    text: 'Cancelling again is answered the same way.',
    look(recording) {
      see(recording.cancelledAgain.text === cancelled(recording).text, 'the second answer differs')
    },
  },
  {
    id: 'cancel.returns-credit',
    section: '1',
    text: 'Reserved time that was not used is returned when the session ends.',
    look({ before, after }) {
      same(at(after.json, 'available_ms'), at(before.json, 'available_ms'), 'available_ms')
      same(at(after.json, 'reserved_ms'), at(before.json, 'reserved_ms'), 'reserved_ms')
      same(at(after.json, 'consumed_ms'), at(before.json, 'consumed_ms'), 'consumed_ms')
    },
  },
  {
    id: 'cancel.frees-place',
    section: 'decisions: money',
    text: 'The place of a session is free as soon as it has ended, and so is its Idempotency-Key once it was cancelled.',
    look(recording) {
      cancelled(recording)
      same(recording.anew.status, 201, 'the status of the next creation')
      see(
        at(recording.anew.json, 'id') !== recording.session?.id,
        'the session that was given back came again',
      )
    },
  },
  {
    id: 'cancel.unknown',
    section: CANCEL,
    text: 'A session that does not exist is 404 session_not_found.',
    look(recording) {
      cancelled(recording)
      same(recording.unknown.status, 404, 'the status')
      same(at(recording.unknown.json, 'error.code'), 'session_not_found', 'error.code')
    },
  },
])

export const idempotencyRules = [...replays, ...defaulted, ...concurrency, ...cancelling]
