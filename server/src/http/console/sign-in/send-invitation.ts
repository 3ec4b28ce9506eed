// How a person gets in: a one-use link, by e-mail where the server can send it, else shown to whoever invites to hand over.

import type { Invitation } from '@sauti/protocol/console'
import type { PasswordLink } from '../../../accounts/password-link.ts'
import type { User } from '../../../accounts/users.ts'
import { type Mail, welcomeMail } from '../mail.ts'
import type { ConsoleParts } from '../parts.ts'

export function invite(parts: ConsoleParts, user: User, link: PasswordLink): Promise<Invitation> {
  return sendInvitation(parts, user.accountId, welcomeMail(user.email, user.name, link.url), link)
}

export async function sendInvitation(
  { mailer, log }: ConsoleParts,
  accountId: string | null,
  mail: Mail,
  link: PasswordLink,
): Promise<Invitation> {
  const emailed = await tryToMail(mailer, mail, error => log.warn({ err: error }, 'mail could not be sent'))
  return {
    account_id: accountId,
    email: mail.to,
    emailed,
    link: emailed ? null : link.url,
    expires_at: link.expiresAt.toISOString(),
  }
}

async function tryToMail(
  mailer: ConsoleParts['mailer'],
  mail: Mail,
  report: (error: unknown) => void,
): Promise<boolean> {
  if (mailer === undefined) return false
  try {
    await mailer.send(mail)
    return true
  } catch (error) {
    report(error)
    return false
  }
}
