// An email to every operator. Not awaited by those who call it: nobody should learn how long mail takes.

import { listOperators } from '../../../accounts/operators.ts'
import type { Mail } from '../mail.ts'
import type { ConsoleParts } from '../parts.ts'

export function mailOperators(
  { db, mailer, log }: Pick<ConsoleParts, 'db' | 'mailer' | 'log'>,
  write: (to: string) => Mail,
): void {
  if (mailer === undefined) return
  const sent = listOperators(db).then(operators =>
    Promise.all(operators.map(({ email }) => mailer.send(write(email)))),
  )
  sent.catch(error => log.warn({ err: error }, 'mail could not be sent'))
}
