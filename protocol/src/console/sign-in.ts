// Signing in and out, passwords, one-time codes, and the list of one's own sign-ins.

import { MAX_PASSWORD_CHARACTERS } from '../console-rules.ts'
import { type Static, Type } from '../schema.ts'
import { DateTime, NewPassword, orNull, PlainText, strict, Uuid } from './fields.ts'

export const SignInRequest = Type.Object(
  { email: PlainText(254), password: Type.String({ maxLength: MAX_PASSWORD_CHARACTERS }) },
  strict,
)
export type SignInRequest = Static<typeof SignInRequest>

export const ForgotPasswordRequest = Type.Object({ email: PlainText(254) }, strict)
export type ForgotPasswordRequest = Static<typeof ForgotPasswordRequest>

export const SetPasswordRequest = Type.Object(
  { token: Type.String({ maxLength: 128 }), password: NewPassword },
  strict,
)
export type SetPasswordRequest = Static<typeof SetPasswordRequest>

export const CheckLinkRequest = Type.Object({ token: Type.String({ maxLength: 128 }) }, strict)
export type CheckLinkRequest = Static<typeof CheckLinkRequest>

export const ChangePasswordRequest = Type.Object(
  { current_password: Type.String({ maxLength: MAX_PASSWORD_CHARACTERS }), new_password: NewPassword },
  strict,
)
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>

/** The password again, before keys, credit, links and operators. */
export const ConfirmRequest = Type.Object(
  { password: Type.String({ maxLength: MAX_PASSWORD_CHARACTERS }) },
  strict,
)
export type ConfirmRequest = Static<typeof ConfirmRequest>

/** A one-time code of an app, or one of the backup codes. */
export const CodeRequest = Type.Object({ code: PlainText(32) }, strict)
export type CodeRequest = Static<typeof CodeRequest>

export const OneTimeCodeSetup = Type.Object({
  uri: Type.String({ description: 'otpauth:// address for an authenticator app.' }),
  backup_codes: Type.Array(Type.String()),
})
export type OneTimeCodeSetup = Static<typeof OneTimeCodeSetup>

/** Where the browser goes to sign in with the provider of an organisation. */
export const OrganisationDeparture = Type.Object({ url: Type.String() })
export type OrganisationDeparture = Static<typeof OrganisationDeparture>

export const SignInView = Type.Object({
  id: Uuid,
  created_at: DateTime,
  last_seen_at: DateTime,
  address: orNull(Type.String()),
  browser: orNull(Type.String()),
  current: Type.Boolean({ description: 'The sign-in of this browser.' }),
})
export type SignInView = Static<typeof SignInView>

export const SignInList = Type.Object({ data: Type.Array(SignInView) })
export type SignInList = Static<typeof SignInList>
