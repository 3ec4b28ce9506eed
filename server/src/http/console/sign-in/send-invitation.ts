// How a person gets in: a one-use link, by e-mail where the server can send it, else shown to the operator to hand over.

import type { Invitation } from '@sauti/protocol/console'
import type { PasswordLink } from '../../../accounts/password-link.ts'
import type { User } from '../../../accounts/users.ts'
import { welcomeMail } from '../mail.ts'
import type { ConsoleParts } from '../parts.ts'

export async function invite(
  { mailer, log }: ConsoleParts,
  user: User,
  link: PasswordLink,
): Promise<Invitation> {
  const emailed = await tryToMail(mailer, user, link, error =>
    log.warn({ err: error }, 'mail could not be sent'),
  )
  return {
    account_id: user.accountId,
    email: user.email,
    emailed,
    link: emailed ? null : link.url,
    expires_at: link.expiresAt.toISOString(),
  }
}

async function tryToMail(
  mailer: ConsoleParts['mailer'],
  user: User,
  link: PasswordLink,
  report: (error: unknown) => void,
): Promise<boolean> {
  if (mailer === undefined) return false
  try {
    await mailer.send(welcomeMail(user.email, user.name, link.url))
    return true
  } catch (error) {
    report(error)
    return false
  }
}
