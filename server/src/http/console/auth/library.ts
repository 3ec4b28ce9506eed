// Better Auth on our own tables: what every way to sign in shares.

import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '@sauti/protocol/console-rules'
import type { BetterAuthOptions } from 'better-auth'
import { betterAuth } from 'better-auth/minimal'
import type { Queryable } from '../../../db/port.ts'
import { createAuthStore } from './auth-store.ts'
import { encryptionSecrets, oneTimeCodes } from './code-plugin.ts'
import type { CookieSecrets } from './cookie-secrets.ts'
import { passkeyPlugin } from './passkey-plugin.ts'
import { createPasswordWork } from './password-work.ts'

const COOKIE_PREFIX = '__Host-sauti'
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`
const DAY_SECONDS = 24 * 3600
const STAY_SIGNED_IN_SECONDS = 14 * DAY_SECONDS

export interface AuthParts {
  readonly db: Queryable
  readonly cookieSecrets: CookieSecrets
  readonly newId: () => string
  /** The real address, which may be known only once the service listens. */
  readonly publicUrl: () => string
}

export type Library = ReturnType<typeof configure>

export function configure(parts: AuthParts) {
  return betterAuth({
    ...sharedOptions(parts),
    plugins: [oneTimeCodes(), passkeyPlugin(parts.publicUrl())],
  })
}

/** The same for every instance of the library: what one signs in, the others recognise. */
export function sharedOptions({ db, cookieSecrets, newId }: AuthParts) {
  return {
    appName: 'Sauti',
    // Only names cookies and checks redirects, and we use neither; the real address may be known later than this.
    baseURL: 'https://console.invalid',
    secret: cookieSecrets[0],
    secrets: encryptionSecrets(cookieSecrets),
    database: createAuthStore(db),
    ...TABLES,
    session: {
      ...TABLES.session,
      // Our own routes ask for the password again: see sign-in/confirmation.ts.
      freshAge: 0,
      expiresIn: STAY_SIGNED_IN_SECONDS,
      updateAge: DAY_SECONDS,
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: createPasswordWork(),
      minPasswordLength: MIN_PASSWORD_CHARACTERS,
      maxPasswordLength: MAX_PASSWORD_CHARACTERS,
    },
    // We record where somebody signs in from ourselves, and less of it: see sign-ins.ts.
    databaseHooks: {
      session: {
        create: {
          before: async session => ({ data: { ...session, ipAddress: undefined, userAgent: undefined } }),
        },
      },
    },
    advanced: {
      // Better Auth would write __Secure-; browsers are stricter with __Host-: no Domain is allowed, so no sibling host can set one.
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, secure: true, sameSite: 'lax', path: '/' },
      database: { generateId: newId },
      ipAddress: { disableIpTracking: true },
    },
  } satisfies BetterAuthOptions
}

/** Our names for Better Auth's tables and columns. */
const TABLES = {
  verification: {
    modelName: 'auth_verifications',
    fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  session: {
    modelName: 'sign_ins',
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
} satisfies BetterAuthOptions
