// The filters of a list of sessions, as they are in an address.

import { SESSION_STATUSES } from '@sauti/protocol/http'
import { MODEL_IDS } from '@sauti/protocol/models'
import { type Static, Type } from '@sauti/protocol/schema'
import type { SessionFilter } from '../../../sessions/history.ts'
import { pageQuery, readMark, UUID_PATTERN } from '../params.ts'

const Moment = Type.String({ maxLength: 40, pattern: '^\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z$' })

export const SessionQuery = Type.Object({
  ...pageQuery,
  from: Type.Optional(Moment),
  to: Type.Optional(Moment),
  key: Type.Optional(Type.String({ pattern: `${UUID_PATTERN}|^playground$` })),
  model: Type.Optional(Type.Enum([...MODEL_IDS])),
  status: Type.Optional(Type.Enum([...SESSION_STATUSES])),
})
export type SessionQuery = Static<typeof SessionQuery>

export function readFilter(query: SessionQuery): Omit<SessionFilter, 'limit' | 'accountId'> {
  const { from, to, key, model, status, before } = query
  return { from: readMoment(from), to: readMoment(to), key, model, status, before: readMark(before) }
}

/** The pattern lets the 31st of February through; nothing is filtered by it. */
function readMoment(text: string | undefined): Date | undefined {
  const moment = new Date(text ?? Number.NaN)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}
