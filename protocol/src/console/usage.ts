// Sessions, usage and credit of an account.

import { MAX_AUDIO_SECONDS, MIN_AUDIO_SECONDS } from '../audio.ts'
import { SESSION_STATUSES, UsageSession } from '../http.ts'
import { MODEL_IDS } from '../models.ts'
import { type Static, Type } from '../schema.ts'
import { DateTime, Line, ListOf, Milliseconds, orNull, strict, Uuid } from './fields.ts'

export const UsageDay = Type.Object({
  date: Type.String({ format: 'date' }),
  audio_ms: Milliseconds,
  billable_ms: Milliseconds,
  sessions: Type.Integer({ minimum: 0 }),
})
export type UsageDay = Static<typeof UsageDay>

export const ConsoleUsage = Type.Object({
  available_ms: Milliseconds,
  reserved_ms: Milliseconds,
  consumed_ms: Milliseconds,
  days: Type.Array(UsageDay),
  recent_sessions: Type.Array(UsageSession),
})
export type ConsoleUsage = Static<typeof ConsoleUsage>

/** One session as the pages list it. */
export const SessionRow = Type.Object({
  id: Uuid,
  model: Type.String(),
  status: Type.Enum([...SESSION_STATUSES]),
  ending: orNull(Type.String({ description: 'Why it ended; null while it is open.' })),
  key: orNull(Type.Object({ id: Uuid, name: Type.String() }, { description: 'null: from the playground.' })),
  reserved_ms: Milliseconds,
  audio_ms: Milliseconds,
  billable_ms: Milliseconds,
  created_at: DateTime,
  completed_at: orNull(DateTime),
})
export type SessionRow = Static<typeof SessionRow>

export const SessionRowList = ListOf(SessionRow)
export type SessionRowList = Static<typeof SessionRowList>

export const PlaygroundSessionRequest = Type.Object(
  {
    model: Type.Enum([...MODEL_IDS]),
    max_audio_seconds: Type.Integer({ minimum: MIN_AUDIO_SECONDS, maximum: MAX_AUDIO_SECONDS }),
  },
  strict,
)
export type PlaygroundSessionRequest = Static<typeof PlaygroundSessionRequest>

export const UsageShare = Type.Object({
  audio_ms: Milliseconds,
  billable_ms: Milliseconds,
  sessions: Type.Integer({ minimum: 0 }),
})
export type UsageShare = Static<typeof UsageShare>

export const UsageReport = Type.Object({
  zone: Type.String({ description: 'The time zone of the days.' }),
  days: Type.Array(UsageDay),
  by_model: Type.Array(Type.Object({ model: Type.String(), ...UsageShare.properties })),
  by_key: Type.Array(
    Type.Object({
      key: orNull(Type.Object({ id: Uuid, name: Type.String() })),
      ...UsageShare.properties,
    }),
  ),
})
export type UsageReport = Static<typeof UsageReport>

export const AskForCreditRequest = Type.Object({ note: Line(500) }, strict)
export type AskForCreditRequest = Static<typeof AskForCreditRequest>
