// Once a minute: accounts that have run low on credit since the last run get an email. Without a mail server nothing runs; the
// pages show it anyway.

import type { FastifyInstance } from 'fastify'
import { listMembers } from '../../../accounts/users.ts'
import { type CreditChange, takeCreditChanges } from '../../../ledger/credit-level.ts'
import { type Repetition, repeat } from '../../../repeat.ts'
import { lowCreditMail } from '../mail.ts'
import type { ConsoleParts } from '../parts.ts'

export function watchCredit(app: FastifyInstance, parts: ConsoleParts): void {
  const { mailer, log, settings } = parts
  if (mailer === undefined) return
  let watch: Repetition | undefined
  app.addHook('onReady', async () => {
    watch = repeat(() => tellOfLowCredit(parts), {
      intervalMs: settings.creditWatchSeconds * 1000,
      onError: error => log.warn({ err: error }, 'accounts with low credit could not be notified'),
    })
  })
  app.addHook('onClose', () => watch?.stop())
}

async function tellOfLowCredit(parts: ConsoleParts): Promise<void> {
  for (const change of await takeCreditChanges(parts.db)) await tellMembers(parts, change)
}

async function tellMembers({ db, mailer, publicUrl }: ConsoleParts, change: CreditChange): Promise<void> {
  const members = await listMembers(db, change.accountId)
  const page = `${publicUrl()}/app`
  await Promise.all(members.map(({ email }) => mailer?.send(lowCreditMail(email, change, page))))
}
