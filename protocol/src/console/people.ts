// The signed-in person, their account and its team.

import { MAX_PASSWORD_CHARACTERS, OPERATOR_ROLES } from '../console-rules.ts'
import { type Static, Type } from '../schema.ts'
import { DateTime, Email, Line, orNull, strict, Uuid } from './fields.ts'

export const ROLES = ['developer', 'operator'] as const

export type Role = (typeof ROLES)[number]

export type OperatorRole = (typeof OPERATOR_ROLES)[number]

export const AccountSummary = Type.Object({
  id: Uuid,
  name: Type.String(),
  active: Type.Boolean(),
  concurrency_limit: Type.Integer(),
})

export const Me = Type.Object({
  name: Type.String(),
  email: Type.String(),
  role: Type.Enum([...ROLES]),
  operator_role: orNull(Type.Enum([...OPERATOR_ROLES])),
  one_time_codes: Type.Boolean({ description: 'Whether signing in asks for a code.' }),
  has_password: Type.Boolean({ description: 'False for somebody who only signs in with an organisation.' }),
  account: orNull(AccountSummary),
  base_url: Type.String(),
  local_authority: Type.Boolean({
    description:
      'Whether the server made its own certificate, which programs trust only when they are told to.',
  }),
})
export type Me = Static<typeof Me>

export const UpdateProfileRequest = Type.Object({ name: Line(100) }, strict)
export type UpdateProfileRequest = Static<typeof UpdateProfileRequest>

/** Somebody without a password must have signed in a short time ago instead. */
export const DeleteMeRequest = Type.Object(
  { password: Type.Optional(Type.String({ maxLength: MAX_PASSWORD_CHARACTERS })) },
  strict,
)
export type DeleteMeRequest = Static<typeof DeleteMeRequest>

export const ACCOUNT_ROLES = ['owner', 'member'] as const

export type AccountRole = (typeof ACCOUNT_ROLES)[number]

export const TeamMember = Type.Object({
  id: Uuid,
  name: Type.String(),
  email: Type.String(),
  role: Type.Enum([...ACCOUNT_ROLES]),
  is_me: Type.Boolean(),
  has_joined: Type.Boolean({ description: 'Has chosen a password, or signed in with an organisation.' }),
})
export type TeamMember = Static<typeof TeamMember>

export const TeamList = Type.Object({ data: Type.Array(TeamMember), can_manage: Type.Boolean() })
export type TeamList = Static<typeof TeamList>

export const InviteMemberRequest = Type.Object(
  { name: Line(100), email: Email, role: Type.Enum([...ACCOUNT_ROLES]) },
  strict,
)
export type InviteMemberRequest = Static<typeof InviteMemberRequest>

/** How a person gets in: by e-mail where the server can send it, otherwise with this link, which the operator passes on. */
export const Invitation = Type.Object({
  account_id: orNull(Uuid),
  email: Type.String(),
  emailed: Type.Boolean(),
  link: orNull(Type.String()),
  expires_at: DateTime,
})
export type Invitation = Static<typeof Invitation>
