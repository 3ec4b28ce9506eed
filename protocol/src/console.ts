// Schemas of /console/api: what the console's pages and their server say to each other. Not part of the public interface,
// so it may change with every release; the pages are served by the same process.

import { type Static, Type } from 'typebox'
import { MAX_AUDIO_SECONDS, MIN_AUDIO_SECONDS } from './audio.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from './console-rules.ts'
import { SESSION_STATUSES, UsageSession } from './http.ts'
import { MODEL_IDS } from './models.ts'

export const MAX_LISTED = 50

const strict = { additionalProperties: false } as const
const Uuid = Type.String({ format: 'uuid' })
const DateTime = Type.String({ format: 'date-time' })
const Milliseconds = Type.Integer({ minimum: 0 })
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
const Email = Type.String({ maxLength: 254, pattern: '^[^\\s@<>"]+@[^\\s@<>"]+\\.[^\\s@<>"]+$' })
const NewPassword = Type.String({ minLength: MIN_PASSWORD_CHARACTERS, maxLength: MAX_PASSWORD_CHARACTERS })
const ModelIds = Type.Array(Type.Enum([...MODEL_IDS]), { uniqueItems: true })

/** One page of a list; `next` goes into `before` of the next request. */
const ListOf = <T extends Type.TSchema>(item: T) =>
  Type.Object({ data: Type.Array(item), next: orNull(Type.String()) })

// ---- visitors

export const JoinRequest = Type.Object(
  { name: Line(100), email: Email, organisation: Type.String({ maxLength: 120 }), use: Line(1000) },
  strict,
)
export type JoinRequest = Static<typeof JoinRequest>

export const APPLICATION_STATUSES = ['waiting', 'approved', 'declined'] as const
/** `none`: the browser that asks has sent no application. */
export const ApplicationState = Type.Object({ status: Type.Enum([...APPLICATION_STATUSES, 'none']) })
export type ApplicationState = Static<typeof ApplicationState>

export const SignInRequest = Type.Object(
  { email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: MAX_PASSWORD_CHARACTERS }) },
  strict,
)
export type SignInRequest = Static<typeof SignInRequest>

export const ForgotPasswordRequest = Type.Object({ email: Type.String({ maxLength: 254 }) }, strict)
export type ForgotPasswordRequest = Static<typeof ForgotPasswordRequest>

export const SetPasswordRequest = Type.Object(
  { token: Type.String({ maxLength: 128 }), password: NewPassword },
  strict,
)
export type SetPasswordRequest = Static<typeof SetPasswordRequest>

export const SampleClip = Type.Object({
  id: Type.String(),
  title: Type.String(),
  model: Type.Enum([...MODEL_IDS]),
  language: Type.String(),
  words: Type.String({ description: 'What is said in it.' }),
  duration_ms: Milliseconds,
  audio_url: Type.String(),
  transcript_url: Type.String(),
})
export type SampleClip = Static<typeof SampleClip>
export const SampleClipList = Type.Object({ data: Type.Array(SampleClip) })
export type SampleClipList = Static<typeof SampleClipList>

// ---- signed in

export const ROLES = ['developer', 'operator'] as const
export type Role = (typeof ROLES)[number]

const AccountSummary = Type.Object({
  id: Uuid,
  name: Type.String(),
  active: Type.Boolean(),
  concurrency_limit: Type.Integer(),
})

export const Me = Type.Object({
  name: Type.String(),
  email: Type.String(),
  role: Type.Enum([...ROLES]),
  account: orNull(AccountSummary),
  base_url: Type.String(),
})
export type Me = Static<typeof Me>

export const ChangePasswordRequest = Type.Object(
  { current_password: Type.String({ maxLength: MAX_PASSWORD_CHARACTERS }), new_password: NewPassword },
  strict,
)
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>

export const UpdateProfileRequest = Type.Object({ name: Line(100) }, strict)
export type UpdateProfileRequest = Static<typeof UpdateProfileRequest>

export const DeleteMeRequest = Type.Object(
  { password: Type.String({ maxLength: MAX_PASSWORD_CHARACTERS }) },
  strict,
)
export type DeleteMeRequest = Static<typeof DeleteMeRequest>

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

export const ApiKeyView = Type.Object({
  id: Uuid,
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters, to tell keys apart.' }),
  models: orNull(Type.Array(Type.String(), { description: 'null: every model.' })),
  created_at: DateTime,
  expires_at: orNull(DateTime),
  last_used_at: orNull(DateTime),
  revoked_at: orNull(DateTime),
})
export type ApiKeyView = Static<typeof ApiKeyView>
export const ApiKeyList = Type.Object({ data: Type.Array(ApiKeyView) })
export type ApiKeyList = Static<typeof ApiKeyList>

export const CreateApiKeyRequest = Type.Object(
  {
    name: Line(80),
    models: Type.Optional(ModelIds),
    expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
  },
  strict,
)
export type CreateApiKeyRequest = Static<typeof CreateApiKeyRequest>

export const CreatedApiKey = Type.Object({ ...ApiKeyView.properties, api_key: Type.String() })
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const PlaygroundSessionRequest = Type.Object(
  {
    model: Type.Enum([...MODEL_IDS]),
    max_audio_seconds: Type.Integer({ minimum: MIN_AUDIO_SECONDS, maximum: MAX_AUDIO_SECONDS }),
  },
  strict,
)
export type PlaygroundSessionRequest = Static<typeof PlaygroundSessionRequest>

// ---- operators

const Note = Type.String({ maxLength: 300 })
/** At most about 115 days of audio in one grant: a slip of the finger should not look like a fortune. */
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

/** How a person gets in: by e-mail where the server can send it, else by this link, which the operator hands over. */
export const Invitation = Type.Object({
  account_id: orNull(Uuid),
  email: Type.String(),
  emailed: Type.Boolean(),
  link: orNull(Type.String()),
  expires_at: DateTime,
})
export type Invitation = Static<typeof Invitation>

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
  amount_ms: Type.Integer(),
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

export const GrantRequest = Type.Object({ seconds: CreditSeconds, note: Line(300) }, strict)
export type GrantRequest = Static<typeof GrantRequest>

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
  }),
  mail: Type.Boolean(),
})
export type Health = Static<typeof Health>

export const AuditEntry = Type.Object({
  id: Type.String(),
  at: DateTime,
  operator: Type.String(),
  action: Type.String(),
  target: orNull(Type.String()),
  details: Type.Record(Type.String(), Type.Unknown()),
})
export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntryList = ListOf(AuditEntry)
export type AuditEntryList = Static<typeof AuditEntryList>
