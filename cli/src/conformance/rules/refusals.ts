// Errors over HTTP (2.6, 5, 7): one rule for each reason, and what all of them have in common.

import type { Answer } from '../exchange.ts'
import { type Rule, rulesOf } from '../rule.ts'
import { REFUSALS, type Refusal, type RefusalAnswers, refusals } from '../scenes/refusals.ts'
import { at, isText, isUuid, oneOf, same, see, Unmet } from '../see.ts'

const reasons: readonly Rule[] = rulesOf(
  refusals,
  REFUSALS.map(refusal => ({
    id: refusal.id,
    section: refusal.section,
    text: refusal.text,
    look: (answers: RefusalAnswers) => isRefused(answers.get(refusal)!, refusal),
  })),
)

function isRefused({ status, json }: Answer, refusal: Refusal): void {
  same(status, refusal.status, 'the status')
  same(at(json, 'error.type'), refusal.type, 'error.type')
  oneOf(at(json, 'error.code'), refusal.codes, 'error.code')
}

/** What holds for every one of them, with the name of the one for which it does not. */
function eachKeeps(answers: RefusalAnswers, look: (answer: Answer) => void): void {
  for (const [{ id }, answer] of answers) {
    try {
      look(answer)
    } catch (error) {
      if (error instanceof Unmet) throw new Unmet(`${id}: ${error.message}`)
      throw error
    }
  }
}

const common = rulesOf(refusals, [
  {
    id: 'errors.body',
    section: '2.6',
    text: 'An error body has type, code, message and request_id, all strings.',
    look: answers =>
      eachKeeps(answers, ({ json }) => {
        for (const field of ['type', 'code', 'message', 'request_id'])
          isText(at(json, `error.${field}`), field)
      }),
  },
  {
    id: 'errors.request-id',
    section: '2.6',
    text: 'request_id is a uuid.',
    look: answers => eachKeeps(answers, ({ json }) => isUuid(at(json, 'error.request_id'), 'request_id')),
  },
  {
    id: 'errors.header',
    section: '7',
    text: 'Every error carries the header X-Request-Id, a uuid.',
    look: answers => eachKeeps(answers, ({ headers }) => isUuid(headers['x-request-id'], 'X-Request-Id')),
  },
  {
    id: 'errors.one-request-id',
    section: '7',
    text: 'Body and header name the same request.',
    look: answers =>
      eachKeeps(answers, ({ headers, json }) =>
        same(at(json, 'error.request_id'), headers['x-request-id'], 'request_id'),
      ),
  },
  {
    id: 'errors.own-request-id',
    section: '7',
    text: 'Every request has an id of its own.',
    look(answers) {
      const ids = [...answers.values()].map(({ headers }) => headers['x-request-id'])
      same(new Set(ids).size, ids.length, 'the number of different ids')
    },
  },
  {
    id: 'errors.json',
    section: '4',
    text: 'Error bodies are JSON.',
    look: answers =>
      eachKeeps(answers, ({ headers }) =>
        see(
          /^application\/json\b/.test(headers['content-type'] ?? ''),
          `Content-Type is ${headers['content-type']}`,
        ),
      ),
  },
  {
    id: 'errors.www-authenticate',
    section: 'decisions: HTTP',
    text: 'Every 401 carries WWW-Authenticate: Bearer.',
    look: answers =>
      eachKeeps(answers, ({ status, headers }) => {
        if (status === 401)
          see(/^bearer/i.test(headers['www-authenticate'] ?? ''), 'WWW-Authenticate is missing')
      }),
  },
  {
    id: 'errors.allow',
    section: 'decisions: HTTP',
    text: 'A 405 names the methods that are allowed.',
    look(answers) {
      for (const { status, headers } of answers.values()) if (status === 405) isText(headers.allow, 'Allow')
    },
  },
  {
    id: 'errors.safe-message',
    section: '2.6',
    text: 'A message is safe to show: it names no key.',
    look: answers =>
      eachKeeps(answers, ({ text }) => see(!/svc_live_v1_\w/.test(text), 'the message contains an API key')),
  },
])

export const refusalRules = [...reasons, ...common]
