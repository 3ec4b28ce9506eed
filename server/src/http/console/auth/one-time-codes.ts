// One-time codes as the second step of signing in, through Better Auth's plugin.

import type { Library } from './library.ts'
import { refusedIsUndefined, type SignIn, toSignIn } from './outcome.ts'

export interface NewOneTimeCodes {
  /** otpauth:// for an authenticator app. */
  readonly uri: string
  readonly backupCodes: readonly string[]
}

export interface OneTimeCodes {
  /** The second step: a code of the app, or one of the backup codes, which works once. Undefined when it is wrong. */
  signInWithCode(cookie: string, code: string): Promise<SignIn | undefined>
  /** Undefined when the password is wrong. */
  beginOneTimeCodes(cookie: string, password: string): Promise<NewOneTimeCodes | undefined>
  /** The first code: from now on signing in asks for one. Undefined when it is wrong. */
  finishOneTimeCodes(cookie: string, code: string): Promise<SignIn | undefined>
  endOneTimeCodes(cookie: string, password: string): Promise<readonly string[] | undefined>
}

export function createOneTimeCodes(
  library: () => Library,
  headersOf: (cookie: string) => Headers,
): OneTimeCodes {
  const orderOf = (cookie: string, code: string) =>
    ({ body: { code }, headers: headersOf(cookie), returnHeaders: true }) as const
  return {
    async signInWithCode(cookie, code) {
      const order = orderOf(cookie, code)
      const isAppCode = /^\d{6}$/.test(code)
      return toSignIn(isAppCode ? library().api.verifyTOTP(order) : library().api.verifyBackupCode(order))
    },
    async beginOneTimeCodes(cookie, password) {
      const answer = await refusedIsUndefined(
        library().api.enableTwoFactor({ body: { password, method: 'totp' }, headers: headersOf(cookie) }),
      )
      return answer?.method === 'totp' ? { uri: answer.totpURI, backupCodes: answer.backupCodes } : undefined
    },
    finishOneTimeCodes: (cookie, code) => toSignIn(library().api.verifyTOTP(orderOf(cookie, code))),
    async endOneTimeCodes(cookie, password) {
      const order = { body: { password }, headers: headersOf(cookie), returnHeaders: true } as const
      const answer = await refusedIsUndefined(library().api.disableTwoFactor(order))
      return answer?.headers.getSetCookie()
    },
  }
}
