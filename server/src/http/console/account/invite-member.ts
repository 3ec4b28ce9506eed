// An owner invites somebody to the account. The answer and the work are the same whether the address already has a sign-in or not: whoever
// has one learns it by email, the owner does not.

import type { Invitation } from '@sauti/protocol/console'
import { ServiceError } from '@sauti/protocol/errors'
import { type Actor, recordAction } from '../../../accounts/audit.ts'
import { createPasswordLink, newPasswordLink } from '../../../accounts/password-link.ts'
import { addIdleInvitation, type NewMember } from '../../../accounts/team.ts'
import { createUser, normalizeEmail } from '../../../accounts/users.ts'
import { invitedElsewhereMail, welcomeMail } from '../mail.ts'
import type { ConsoleParts } from '../parts.ts'
import { sendInvitation } from '../sign-in/send-invitation.ts'

export async function inviteMember(
  parts: ConsoleParts,
  person: NewMember,
  actor: Actor,
): Promise<Invitation> {
  const { accountId, accountRole: role, name, now } = person
  const email = normalizeEmail(person.email)
  const order = { purpose: 'invitation', publicUrl: parts.publicUrl(), now } as const
  const { isNew, link } = await parts.db.transaction(async tx => {
    const user = await createUser(tx, person)
    if (user === undefined && !(await addIdleInvitation(tx, person))) throw new ServiceError('email_taken')
    // The link to a known person opens nothing: the owner may see it, and must not set somebody else's password.
    const made =
      user === undefined
        ? newPasswordLink(order)
        : await createPasswordLink(tx, { ...order, userId: user.id })
    await recordAction(tx, { actor, action: 'member.invite', target: accountId, details: { role }, now })
    return { isNew: user !== undefined, link: made }
  })
  const mail = isNew
    ? welcomeMail(email, name, link.url)
    : invitedElsewhereMail(email, `${parts.publicUrl()}/signin`)
  return sendInvitation(parts, accountId, mail, link)
}
