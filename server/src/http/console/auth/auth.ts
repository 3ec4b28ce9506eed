// Who is signed in: Better Auth with e-mail and password, its sessions in our database. It is called as a library from our
// own routes, never mounted: so every answer has our error body, our limits and our check of the origin, and there is no
// route that we did not write.

import { renewEncryption } from './code-plugin.ts'
import { renewSignature } from './cookie-secrets.ts'
import { type AuthParts, configure, type Library, SESSION_COOKIE } from './library.ts'
import { refusedIsUndefined, type SignIn, toSignIn } from './outcome.ts'
import { createPasskeys, type Passkeys } from './passkeys.ts'

/** The password was right, and a code is asked for; the cookies say who waits. */
export interface CodeRequired {
  readonly userId?: undefined
  readonly cookies: readonly string[]
}

export interface OneTimeCodes {
  /** otpauth:// for an authenticator app. */
  readonly uri: string
  readonly backupCodes: readonly string[]
}

export interface RecognisedSignIn extends SignIn {
  readonly signInId: string
}

export interface Auth {
  /** Undefined for a wrong password and for an unknown address alike, after the same work. */
  signIn(email: string, password: string): Promise<SignIn | CodeRequired | undefined>
  /** The second step: a code of the app, or one of the backup codes, which works once. Undefined when it is wrong. */
  signInWithCode(cookie: string, code: string): Promise<SignIn | undefined>
  /** Undefined when the password is wrong. */
  beginOneTimeCodes(cookie: string, password: string): Promise<OneTimeCodes | undefined>
  /** The first code: from now on signing in asks for one. Undefined when it is wrong. */
  finishOneTimeCodes(cookie: string, code: string): Promise<SignIn | undefined>
  endOneTimeCodes(cookie: string, password: string): Promise<readonly string[] | undefined>
  readonly passkeys: Passkeys
  /** Encrypts what the previous secret has encrypted under the current one. */
  renewEncryption(): Promise<void>
  /** Who the cookie belongs to; `cookies` is not empty where the sign-in was prolonged. */
  recognise(cookie: string): Promise<RecognisedSignIn | undefined>
  signOut(cookie: string): Promise<readonly string[]>
  /** Ends every other sign-in. Undefined when the current password is wrong. */
  changePassword(cookie: string, current: string, next: string): Promise<readonly string[] | undefined>
  checkPassword(userId: string, password: string): Promise<boolean>
  /** Ends every sign-in. */
  setPassword(userId: string, password: string): Promise<void>
}

export function createAuth(parts: AuthParts): Auth {
  let configured: Library | undefined
  // Not before the first use: the public address may be known only once the service listens.
  const library = () => {
    configured ??= configure(parts)
    return configured
  }
  const headersOf = (cookie: string) =>
    new Headers({ cookie: renewSignature(cookie, SESSION_COOKIE, parts.cookieSecrets) })
  return {
    async signIn(email, password) {
      const answer = await refusedIsUndefined(
        library().api.signInEmail({ body: { email, password }, headers: new Headers(), returnHeaders: true }),
      )
      if (!answer) return undefined
      const cookies = answer.headers.getSetCookie()
      // The plugin for one-time codes answers in place of the library, which its types do not say.
      const { user } = answer.response as { user?: { id: string } }
      return user ? { userId: user.id, cookies } : { cookies }
    },
    async signInWithCode(cookie, code) {
      const order = { body: { code }, headers: headersOf(cookie), returnHeaders: true } as const
      const isAppCode = /^\d{6}$/.test(code)
      return toSignIn(isAppCode ? library().api.verifyTOTP(order) : library().api.verifyBackupCode(order))
    },
    async beginOneTimeCodes(cookie, password) {
      const answer = await refusedIsUndefined(
        library().api.enableTwoFactor({ body: { password, method: 'totp' }, headers: headersOf(cookie) }),
      )
      return answer?.method === 'totp' ? { uri: answer.totpURI, backupCodes: answer.backupCodes } : undefined
    },
    finishOneTimeCodes: (cookie, code) =>
      toSignIn(library().api.verifyTOTP({ body: { code }, headers: headersOf(cookie), returnHeaders: true })),
    async endOneTimeCodes(cookie, password) {
      const answer = await refusedIsUndefined(
        library().api.disableTwoFactor({
          body: { password },
          headers: headersOf(cookie),
          returnHeaders: true,
        }),
      )
      return answer?.headers.getSetCookie()
    },
    passkeys: createPasskeys(library, headersOf),
    renewEncryption: () => renewEncryption(parts),
    async recognise(cookie) {
      const { response, headers } = await library().api.getSession({
        headers: headersOf(cookie),
        returnHeaders: true,
      })
      if (!response) return undefined
      const { user, session } = response
      return { userId: user.id, signInId: session.id, cookies: headers.getSetCookie() }
    },
    async signOut(cookie) {
      const { headers } = await library().api.signOut({ headers: headersOf(cookie), returnHeaders: true })
      return headers.getSetCookie()
    },
    async changePassword(cookie, currentPassword, newPassword) {
      const answer = await refusedIsUndefined(
        library().api.changePassword({
          body: { currentPassword, newPassword, revokeOtherSessions: true },
          headers: headersOf(cookie),
          returnHeaders: true,
        }),
      )
      return answer?.headers.getSetCookie()
    },
    async checkPassword(userId, password) {
      const { internalAdapter, password: passwords } = await library().$context
      const hash = (await internalAdapter.findCredentialAccount(userId))?.password
      return typeof hash === 'string' && passwords.verify({ hash, password })
    },
    async setPassword(userId, password) {
      const { internalAdapter, password: passwords } = await library().$context
      const hash = await passwords.hash(password)
      if (await internalAdapter.findCredentialAccount(userId))
        await internalAdapter.updatePassword(userId, hash)
      else
        await internalAdapter.createAccount({
          userId,
          providerId: 'credential',
          accountId: userId,
          password: hash,
        })
      await internalAdapter.deleteUserSessions(userId)
    },
  }
}
