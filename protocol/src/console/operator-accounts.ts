// For operators: applications, accounts, and their credit.

import { UsageSession } from '../http.ts'
import { type Static, Type } from '../schema.ts'
import { DateTime, Email, Line, ListOf, Milliseconds, orNull, PlainText, strict, Uuid } from './fields.ts'
import { ApiKeyView } from './keys.ts'
import { AccountSummary, ROLES } from './people.ts'
import { APPLICATION_STATUSES } from './visitors.ts'

export const OperatorBadge = Type.Object({ applications: Type.Integer(), credit_requests: Type.Integer() })
export type OperatorBadge = Static<typeof OperatorBadge>

export const CreditRequestView = Type.Object({
  id: Uuid,
  account_id: Uuid,
  account_name: Type.String(),
  person: Type.String(),
  email: Type.String(),
  note: Type.String(),
  available_ms: Milliseconds,
  created_at: DateTime,
})
export type CreditRequestView = Static<typeof CreditRequestView>

export const CreditRequestList = Type.Object({ data: Type.Array(CreditRequestView) })
export type CreditRequestList = Static<typeof CreditRequestList>

const Note = PlainText(300)

/** At most about 115 days of audio in one grant: a typing error should not grant years of audio. */
const CreditSeconds = Type.Integer({ minimum: 1, maximum: 10_000_000 })

export const Application = Type.Object({
  id: Uuid,
  name: Type.String(),
  email: Type.String(),
  organisation: Type.String(),
  use: Type.String(),
  status: Type.Enum([...APPLICATION_STATUSES]),
  created_at: DateTime,
  decided_at: orNull(DateTime),
  decided_by: orNull(Type.String()),
  account_id: orNull(Uuid),
})
export type Application = Static<typeof Application>

export const ApplicationList = ListOf(Application)
export type ApplicationList = Static<typeof ApplicationList>

export const ApproveRequest = Type.Object({ credit_seconds: CreditSeconds }, strict)
export type ApproveRequest = Static<typeof ApproveRequest>

export const DeclineRequest = Type.Object({ note: Type.Optional(Note) }, strict)
export type DeclineRequest = Static<typeof DeclineRequest>

export const AccountRow = Type.Object({
  ...AccountSummary.properties,
  email: orNull(Type.String()),
  available_ms: Milliseconds,
  consumed_ms: Milliseconds,
  created_at: DateTime,
})
export type AccountRow = Static<typeof AccountRow>

export const AccountRowList = ListOf(AccountRow)
export type AccountRowList = Static<typeof AccountRowList>

export const LedgerEntryView = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  amount_ms: Type.Integer({ description: 'What it adds to the available credit, or takes from it.' }),
  billed_ms: Milliseconds,
  balance_ms: Type.Integer({ description: 'Available credit after it.' }),
  session_id: orNull(Uuid),
  note: orNull(Type.String()),
  created_at: DateTime,
})
export type LedgerEntryView = Static<typeof LedgerEntryView>

export const AccountUser = Type.Object({
  id: Uuid,
  name: Type.String(),
  email: Type.String(),
  role: Type.Enum([...ROLES]),
  has_password: Type.Boolean(),
  last_sign_in_at: orNull(DateTime),
})
export type AccountUser = Static<typeof AccountUser>

export const AccountDetail = Type.Object({
  ...AccountSummary.properties,
  created_at: DateTime,
  available_ms: Milliseconds,
  reserved_ms: Milliseconds,
  consumed_ms: Milliseconds,
  users: Type.Array(AccountUser),
  keys: Type.Array(ApiKeyView),
  entries: Type.Array(LedgerEntryView),
  recent_sessions: Type.Array(UsageSession),
})
export type AccountDetail = Static<typeof AccountDetail>

export const UpdateAccountRequest = Type.Object(
  {
    active: Type.Optional(Type.Boolean()),
    concurrency_limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  },
  { ...strict, minProperties: 1 },
)
export type UpdateAccountRequest = Static<typeof UpdateAccountRequest>

export const GrantCreditRequest = Type.Object({ seconds: CreditSeconds }, strict)
export type GrantCreditRequest = Static<typeof GrantCreditRequest>

export const CreateAccountRequest = Type.Object(
  { name: Line(120), person: Line(100), email: Email, credit_seconds: CreditSeconds },
  strict,
)
export type CreateAccountRequest = Static<typeof CreateAccountRequest>

export const GrantRequest = Type.Object({ seconds: CreditSeconds, note: Line(300) }, strict)
export type GrantRequest = Static<typeof GrantRequest>
