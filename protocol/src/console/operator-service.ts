// For operators: sessions of all accounts, nodes, health, the audit log, and the operators themselves.

import { OPERATOR_ROLES } from '../console-rules.ts'
import { SESSION_STATUSES } from '../http.ts'
import { type Static, Type } from '../schema.ts'
import { DateTime, Email, Line, ListOf, Milliseconds, orNull, strict, Uuid } from './fields.ts'
import { SessionRow } from './usage.ts'

export const OperatorSession = Type.Object({
  ...SessionRow.properties,
  account_id: Uuid,
  account_name: Type.String(),
  node_id: Uuid,
})
export type OperatorSession = Static<typeof OperatorSession>

export const OperatorSessionList = ListOf(OperatorSession)
export type OperatorSessionList = Static<typeof OperatorSessionList>

/** State only: never what was said. */
export const LiveSession = Type.Object({
  id: Uuid,
  account_id: Uuid,
  account_name: Type.String(),
  model: Type.String(),
  status: Type.Enum([...SESSION_STATUSES]),
  reserved_ms: Milliseconds,
  created_at: DateTime,
})
export type LiveSession = Static<typeof LiveSession>

export const LiveSessionList = Type.Object({ data: Type.Array(LiveSession) })
export type LiveSessionList = Static<typeof LiveSessionList>

/** A process of the service. */
export const NodeView = Type.Object({
  id: Uuid,
  version: Type.String(),
  /** Where clients reach its streams; null where an older release runs. */
  url: orNull(Type.String()),
  state: Type.Enum(['ready', 'draining', 'gone']),
  models: Type.Array(Type.String()),
  /** Streams that it can carry. */
  capacity: Type.Integer(),
  open_streams: Type.Integer(),
  /** Reserved and active sessions that hold a slot on it. */
  sessions: Type.Integer(),
  /** Since its last heartbeat. */
  silent_ms: Milliseconds,
  started_at: DateTime,
  /** The node that answers. */
  is_this_node: Type.Boolean(),
})
export type NodeView = Static<typeof NodeView>

export const NodeList = Type.Object({ data: Type.Array(NodeView) })
export type NodeList = Static<typeof NodeList>

/** How many took up to each bound, in milliseconds, since the service started; the last count is of all. */
export const LatencyHistogram = Type.Object({
  upper_ms: Type.Array(Type.Integer()),
  counts: Type.Array(Type.Integer({ minimum: 0 })),
})
export type LatencyHistogram = Static<typeof LatencyHistogram>

export const Health = Type.Object({
  ready: Type.Boolean(),
  uptime_seconds: Type.Integer(),
  database: Type.Object({ ok: Type.Boolean(), engine: Type.String(), answer_ms: Type.Number() }),
  engine: Type.Object({
    ok: Type.Boolean(),
    models: Type.Array(Type.String()),
    missing_models: Type.Array(Type.String()),
    capacity: Type.Integer(),
    open_streams: Type.Integer(),
    engines_lost: Type.Integer({ minimum: 0, description: 'Engines that died or hung and were replaced.' }),
  }),
  latency: Type.Object({
    first_words: LatencyHistogram,
    final_text: LatencyHistogram,
    engine_step: LatencyHistogram,
  }),
  mail: Type.Boolean(),
})
export type Health = Static<typeof Health>

export const AuditEntry = Type.Object({
  id: Type.String(),
  at: DateTime,
  operator: Type.String({ description: 'Who did it, operator or not.' }),
  address: orNull(Type.String({ description: 'The network address that it came from.' })),
  action: Type.String(),
  target: orNull(Type.String()),
  target_name: orNull(
    Type.String({ description: 'Of the account, key or person, where the target is one.' }),
  ),
  target_account_id: orNull(Uuid),
  details: Type.Record(Type.Unknown()),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditEntryList = ListOf(AuditEntry)
export type AuditEntryList = Static<typeof AuditEntryList>

export const OperatorView = Type.Object({
  id: Uuid,
  name: Type.String(),
  email: Type.String(),
  role: Type.Enum([...OPERATOR_ROLES]),
  last_sign_in_at: orNull(DateTime),
})
export type OperatorView = Static<typeof OperatorView>

export const OperatorList = Type.Object({ data: Type.Array(OperatorView) })
export type OperatorList = Static<typeof OperatorList>

export const CreateOperatorRequest = Type.Object(
  { email: Email, name: Line(100), role: Type.Enum([...OPERATOR_ROLES]) },
  strict,
)
export type CreateOperatorRequest = Static<typeof CreateOperatorRequest>

export const UpdateOperatorRequest = Type.Object({ role: Type.Enum([...OPERATOR_ROLES]) }, strict)
export type UpdateOperatorRequest = Static<typeof UpdateOperatorRequest>
