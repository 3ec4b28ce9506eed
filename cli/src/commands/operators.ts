// sauti operators ...: who runs the service from the console's operator pages.

import { randomUUID } from 'node:crypto'
import { createOperator, listOperators } from '@sauti/server/accounts/operators.js'
import { findAccount } from '@sauti/server/accounts/search.js'
import { readCommandConfig } from '@sauti/server/config.js'
import { type Command, Failure, type Options, type Result, UsageError } from '../command.ts'
import { alignColumns } from '../help.ts'
import { readId, readName } from '../options.ts'
import { withDatabase } from '../with-database.ts'

export const operatorCommands: readonly Command[] = [
  {
    name: 'operators create',
    summary:
      'Make somebody an operator, and print a link with which to choose a password. It works once, for three days.',
    options: {
      email: { value: 'ADDRESS', description: 'With which the operator signs in.', required: true },
      name: { value: 'NAME', description: 'How the operator is called. Without it: the address.' },
      account: {
        value: 'ID',
        description: 'An account that the operator may use, for keys and the playground.',
      },
    },
    positional: 'email',
    examples: [
      'sauti operators create --email you@example.org',
      'sauti operators create you@example.org --name "Achieng" --account 01234567-89ab-4cde-8f01-23456789abcd',
    ],
    run: create,
  },
  {
    name: 'operators list',
    summary: 'List the operators.',
    options: {},
    examples: ['sauti operators list'],
    run: list,
  },
]

async function create(options: Options): Promise<Result> {
  const email = readEmail(options)
  const accountId = options.text('account') === undefined ? null : readId(options, 'account')
  const { publicUrl } = readCommandConfig()
  if (publicUrl === undefined)
    throw new Failure('set SAUTI_PUBLIC_URL: the link needs the address of the console')
  const { link } = await withDatabase(db =>
    db.transaction(async tx => {
      if (accountId !== null && !(await findAccount(tx, accountId))) {
        throw new Failure(`there is no account ${accountId}`)
      }
      const name = options.text('name') === undefined ? email : readName(options, 'name')
      return createOperator(tx, {
        id: randomUUID(),
        email,
        name: name.slice(0, 100),
        accountId,
        publicUrl,
        now: new Date(),
      })
    }),
  )
  const expiresAt = link.expiresAt.toISOString()
  return {
    json: { email, link: link.url, expires_at: expiresAt },
    text: `Open this link to choose a password. It works once, until ${expiresAt}:\n\n${link.url}`,
  }
}

function readEmail(options: Options): string {
  const email = options.required('email').trim().toLowerCase()
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) && email.length <= 254) return email
  throw new UsageError('--email must be an e-mail address')
}

async function list(): Promise<Result> {
  const operators = await withDatabase(db => listOperators(db))
  const rows = operators.map(({ email, name, accountId }) => [email, accountId ?? 'none', name])
  return {
    json: {
      operators: operators.map(({ email, name, accountId }) => ({ email, name, account_id: accountId })),
    },
    text: alignColumns([['ADDRESS', 'ACCOUNT', 'NAME'], ...rows]),
  }
}
