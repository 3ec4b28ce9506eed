// Who is signed in: Better Auth with e-mail and password, its sessions in our database. It is called as a library from our
// own routes, never mounted: so every answer has our error body, our limits and our check of the origin, and there is no
// route that we did not write.

import { createHmac } from 'node:crypto'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '@sauti/protocol/console-rules'
import { APIError } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import type { Queryable } from '../../db/port.ts'
import { createAuthStore } from './auth-store.ts'

const DAY_SECONDS = 24 * 3600
const STAY_SIGNED_IN_SECONDS = 14 * DAY_SECONDS

/** A key of its own for cookies, so that the server's secret can serve other purposes too. */
export function deriveCookieSecret(secret: string | Buffer): string {
  return createHmac('sha256', secret).update('sauti console cookies v1').digest('base64url')
}

export interface AuthParts {
  readonly db: Queryable
  readonly cookieSecret: string
  readonly newId: () => string
}

export interface SignIn {
  readonly userId: string
  /** Set-Cookie values for the answer. */
  readonly cookies: readonly string[]
}

export interface Auth {
  /** Undefined for a wrong password and for an unknown address alike, after the same work. */
  signIn(email: string, password: string): Promise<SignIn | undefined>
  /** Who the cookie belongs to; `cookies` is not empty where the stay was prolonged. */
  recognise(cookie: string): Promise<SignIn | undefined>
  signOut(cookie: string): Promise<readonly string[]>
  /** Ends every other sign-in. Undefined when the current password is wrong. */
  changePassword(cookie: string, current: string, next: string): Promise<readonly string[] | undefined>
  checkPassword(userId: string, password: string): Promise<boolean>
  /** Ends every sign-in. */
  setPassword(userId: string, password: string): Promise<void>
}

export function createAuth(parts: AuthParts): Auth {
  const library = configure(parts)
  return {
    async signIn(email, password) {
      const answer = await refusedIsUndefined(
        library.api.signInEmail({ body: { email, password }, headers: new Headers(), returnHeaders: true }),
      )
      return answer && { userId: answer.response.user.id, cookies: answer.headers.getSetCookie() }
    },
    async recognise(cookie) {
      const { response, headers } = await library.api.getSession({
        headers: new Headers({ cookie }),
        returnHeaders: true,
      })
      return response ? { userId: response.user.id, cookies: headers.getSetCookie() } : undefined
    },
    async signOut(cookie) {
      const { headers } = await library.api.signOut({ headers: new Headers({ cookie }), returnHeaders: true })
      return headers.getSetCookie()
    },
    async changePassword(cookie, currentPassword, newPassword) {
      const answer = await refusedIsUndefined(
        library.api.changePassword({
          body: { currentPassword, newPassword, revokeOtherSessions: true },
          headers: new Headers({ cookie }),
          returnHeaders: true,
        }),
      )
      return answer?.headers.getSetCookie()
    },
    async checkPassword(userId, password) {
      const { internalAdapter, password: passwords } = await library.$context
      const hash = (await internalAdapter.findCredentialAccount(userId))?.password
      return typeof hash === 'string' && passwords.verify({ hash, password })
    },
    async setPassword(userId, password) {
      const { internalAdapter, password: passwords } = await library.$context
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

async function refusedIsUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof APIError && error.statusCode < 500) return undefined
    throw error
  }
}

function configure({ db, cookieSecret, newId }: AuthParts) {
  return betterAuth({
    appName: 'Sauti',
    // Only names cookies and checks redirects, and we use neither; the real address may be known later than this.
    baseURL: 'https://console.invalid',
    secret: cookieSecret,
    secrets: [{ version: 1, value: cookieSecret }],
    database: createAuthStore(db),
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_CHARACTERS,
      maxPasswordLength: MAX_PASSWORD_CHARACTERS,
    },
    session: {
      modelName: 'sign_ins',
      expiresIn: STAY_SIGNED_IN_SECONDS,
      updateAge: DAY_SECONDS,
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    user: {
      modelName: 'users',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
      additionalFields: {
        role: { type: 'string', required: true, input: false },
        accountId: { type: 'string', required: false, input: false, fieldName: 'account_id' },
      },
    },
    account: {
      modelName: 'user_credentials',
      fields: {
        userId: 'user_id',
        providerId: 'provider_id',
        accountId: 'provider_account_id',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    // Where somebody signs in from, and with what, is nobody's business: there are no columns for it.
    databaseHooks: {
      session: {
        create: {
          before: async session => ({ data: { ...session, ipAddress: undefined, userAgent: undefined } }),
        },
      },
    },
    advanced: {
      cookiePrefix: 'sauti',
      useSecureCookies: true,
      defaultCookieAttributes: { httpOnly: true, secure: true, sameSite: 'lax', path: '/' },
      database: { generateId: newId },
      ipAddress: { disableIpTracking: true },
    },
  })
}
