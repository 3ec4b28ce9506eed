// Checking and changing passwords.

import type { Library } from './library.ts'
import { refusedIsUndefined } from './outcome.ts'

export interface Passwords {
  /** Ends every other sign-in. Undefined when the current password is wrong. */
  changePassword(cookie: string, current: string, next: string): Promise<readonly string[] | undefined>
  checkPassword(userId: string, password: string): Promise<boolean>
  /** Ends every sign-in. */
  setPassword(userId: string, password: string): Promise<void>
}

export function createPasswords(library: () => Library, headersOf: (cookie: string) => Headers): Passwords {
  return {
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
