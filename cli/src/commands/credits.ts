// sauti credits grant: adds credit.

import { COMMAND_LINE, recordAction } from '@sauti/server/accounts/audit.js'
import { grantCredit } from '@sauti/server/ledger/grant.js'
import { type Command, Failure, type Options, type Result, UsageError } from '../command.ts'
import { readCreditMs, readId, readLine } from '../options.ts'
import { withDatabase } from '../with-database.ts'

const MAX_NOTE_CHARACTERS = 500

export const creditCommands: readonly Command[] = [
  {
    name: 'credits grant',
    options: {
      account: { value: 'ID', description: 'The account.', required: true },
      seconds: { value: 'S', description: 'Seconds of audio.', required: true },
      note: { value: 'TEXT', description: 'Reason, stored with the ledger entry.' },
    },
    examples: [
      'sauti credits grant --account 01234567-89ab-4cde-8f01-23456789abcd --seconds 36000 --note "invoice 17"',
    ],
    run: grant,
  },
]

async function grant(options: Options): Promise<Result> {
  const accountId = readId(options, 'account')
  const amountMs = readCreditMs(options, 'seconds')
  const note = options.text('note') === undefined ? null : readLine(options, 'note', MAX_NOTE_CHARACTERS)
  if (amountMs === 0) throw new UsageError('--seconds must be more than 0')
  const now = new Date()
  await withDatabase(db =>
    db.transaction(async tx => {
      const granted = await grantCredit(tx, { accountId, amountMs, note, now })
      if (!granted) throw new Failure(`there is no account ${accountId}`)
      const details = { seconds: amountMs / 1000, note }
      await recordAction(tx, { actor: COMMAND_LINE, action: 'credit.grant', target: accountId, details, now })
    }),
  )
  return {
    json: { account_id: accountId, granted_ms: amountMs },
    text: `granted ${amountMs / 1000} seconds to ${accountId}`,
  }
}
