// The signed-in person as the pages see them.

import type { Me } from '@sauti/protocol/console'
import { findAccount } from '../../../accounts/search.ts'
import { hasPassword, type User } from '../../../accounts/users.ts'
import type { ConsoleParts } from '../parts.ts'

export async function describeMe({ db, publicUrl, settings }: ConsoleParts, user: User): Promise<Me> {
  const account = user.accountId === null ? undefined : await findAccount(db, user.accountId)
  return {
    name: user.name,
    email: user.email,
    role: user.role,
    operator_role: user.role === 'operator' ? user.operatorRole : null,
    one_time_codes: user.hasOneTimeCodes,
    has_password: await hasPassword(db, user.id),
    account: account
      ? {
          id: account.id,
          name: account.name,
          active: account.active,
          concurrency_limit: account.concurrencyLimit,
        }
      : null,
    base_url: publicUrl(),
    local_authority: settings.tls === 'on' && settings.tlsCert === undefined,
  }
}
