// The balance (2.4, 2.5, 4.3).

import type { Answer } from '../exchange.ts'
import { rulesOf } from '../rule.ts'
import { usage } from '../scenes/usage.ts'
import { at, isDateTime, isList, isText, isUuid, isWhole, oneOf, same, see } from '../see.ts'
import { DHOLUO, KIKUYU } from '../world.ts'

const OVER = ['completed', 'failed', 'expired']

function recent({ json }: Answer): readonly unknown[] {
  const sessions = at(json, 'recent_sessions')
  isList(sessions, 'recent_sessions')
  return sessions
}

export const usageRules = rulesOf(usage, [
  {
    id: 'usage.ok',
    section: '4.3',
    text: 'GET /v1/usage answers 200 with X-Request-Id.',
    look({ status, headers }) {
      same(status, 200, 'the status')
      isUuid(headers['x-request-id'], 'X-Request-Id')
    },
  },
  {
    id: 'usage.object',
    section: '2.4',
    text: 'object is "credit_balance" and unit is "audio_millisecond".',
    look({ json }) {
      same(at(json, 'object'), 'credit_balance', 'object')
      same(at(json, 'unit'), 'audio_millisecond', 'unit')
    },
  },
  {
    id: 'usage.amounts',
    section: '2.4',
    text: 'available_ms, reserved_ms and consumed_ms are integers of at least 0.',
    look({ json }) {
      for (const field of ['available_ms', 'reserved_ms', 'consumed_ms']) isWhole(at(json, field), field)
    },
  },
  {
    id: 'usage.most-sessions',
    section: '8',
    text: 'recent_sessions has at most 20 items.',
    look: answer => see(recent(answer).length <= 20, `${recent(answer).length} sessions are listed`),
  },
  {
    id: 'usage.sessions',
    section: '2.5',
    text: 'Every session has id, model, status, audio_ms, billable_ms, created_at and completed_at as the table says.',
    look(answer) {
      for (const session of recent(answer)) {
        isUuid(at(session, 'id'), 'id')
        oneOf(at(session, 'model'), [KIKUYU, DHOLUO], 'model')
        oneOf(at(session, 'status'), ['reserved', 'active', ...OVER], 'status')
        isWhole(at(session, 'audio_ms'), 'audio_ms')
        isWhole(at(session, 'billable_ms'), 'billable_ms')
        isDateTime(at(session, 'created_at'), 'created_at')
      }
    },
  },
  {
    id: 'usage.completed-at',
    section: '2.5',
    text: 'completed_at is null as long as a session is not over, and a date-time afterwards.',
    look(answer) {
      for (const session of recent(answer)) {
        const completedAt = at(session, 'completed_at')
        if (OVER.includes(String(at(session, 'status')))) isDateTime(completedAt, 'completed_at')
        else same(completedAt, null, 'completed_at')
      }
    },
  },
  {
    id: 'usage.newest-first',
    section: 'decisions: HTTP',
    text: 'recent_sessions are listed newest first.',
    look(answer) {
      const times = recent(answer).map(session => Date.parse(String(at(session, 'created_at'))))
      same(
        times,
        times.toSorted((a, b) => b - a),
        'the order of created_at',
      )
    },
  },
  {
    id: 'usage.whole-seconds',
    section: '8',
    text: 'Sessions are billed in whole seconds.',
    look(answer) {
      for (const session of recent(answer))
        same(Number(at(session, 'billable_ms')) % 1000, 0, 'billable_ms beyond whole seconds')
    },
  },
  {
    id: 'usage.rate-headers',
    section: 'decisions: HTTP',
    text: 'Usage reads carry RateLimit and RateLimit-Policy.',
    look({ headers }) {
      isText(headers.ratelimit, 'RateLimit')
      isText(headers['ratelimit-policy'], 'RateLimit-Policy')
    },
  },
])
