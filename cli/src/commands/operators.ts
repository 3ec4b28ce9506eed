// sauti operators ...: who runs the service from the console's operator pages.

import { randomUUID } from 'node:crypto'
import type { OperatorRole } from '@sauti/protocol/console'
import { OPERATOR_ROLES } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import { COMMAND_LINE, recordAction } from '@sauti/server/accounts/audit.js'
import {
  createOperator,
  listOperators,
  type OperatorChange,
  removeOperator,
  setOperatorRole,
} from '@sauti/server/accounts/operators.js'
import { findAccount } from '@sauti/server/accounts/search.js'
import { endSignIns, findUserByEmail, resetOneTimeCodes } from '@sauti/server/accounts/users.js'
import type { Tx } from '@sauti/server/db/port.js'
import { readCommandConfig } from '@sauti/server/settings/config.js'
import { type Command, Failure, type OptionSpec, type Options, type Result, UsageError } from '../command.ts'
import { alignColumns } from '../help.ts'
import { readEmail, readId, readName } from '../options.ts'
import { withDatabase } from '../with-database.ts'

const EMAIL_OPTION: OptionSpec = {
  value: 'ADDRESS',
  description: 'Email address that the person signs in with.',
  required: true,
}

export const operatorCommands: readonly Command[] = [
  {
    name: 'operators create',
    options: {
      email: {
        value: 'ADDRESS',
        description: 'Email address that the operator signs in with.',
        required: true,
      },
      name: { value: 'NAME', description: 'Display name. Default: the email address.' },
      role: { value: 'ROLE', description: 'owner, support or auditor. Default: owner.' },
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
    options: {},
    examples: ['sauti operators list'],
    run: list,
  },
  {
    name: 'operators set-role',
    options: {
      email: EMAIL_OPTION,
      role: { value: 'ROLE', description: 'owner, support or auditor.', required: true },
    },
    positional: 'email',
    examples: ['sauti operators set-role you@example.org --role support'],
    run: setRole,
  },
  {
    name: 'operators remove',
    options: { email: EMAIL_OPTION },
    positional: 'email',
    examples: ['sauti operators remove you@example.org'],
    run: remove,
  },
  {
    name: 'operators reset-codes',
    options: { email: EMAIL_OPTION },
    positional: 'email',
    examples: ['sauti operators reset-codes you@example.org'],
    run: resetCodes,
  },
  {
    name: 'operators end-sign-ins',
    options: { email: EMAIL_OPTION },
    positional: 'email',
    examples: ['sauti operators end-sign-ins you@example.org'],
    run: endAllSignIns,
  },
]

async function create(options: Options): Promise<Result> {
  const email = readEmail(options, 'email')
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
        operatorRole: readRole(options),
        accountId,
        actor: COMMAND_LINE,
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

function readRole(options: Options): OperatorRole {
  const given = options.text('role') ?? 'owner'
  const role = OPERATOR_ROLES.find(one => one === given)
  if (role === undefined) throw new UsageError(`--role must be one of ${OPERATOR_ROLES.join(', ')}`)
  return role
}

/** Runs `work` on the person with this address, in one transaction with its entry in the audit log. */
async function onPerson(
  options: Options,
  work: (tx: Tx, change: OperatorChange) => Promise<void>,
): Promise<string> {
  const email = readEmail(options, 'email')
  await withDatabase(db =>
    db.transaction(async tx => {
      const user = await findUserByEmail(tx, email)
      if (!user) throw new Failure(`nobody has the address ${email}`)
      await work(tx, { userId: user.id, actor: COMMAND_LINE, now: new Date() })
    }),
  ).catch(error => {
    if (error instanceof ServiceError) throw new Failure(error.message, { cause: error })
    throw error
  })
  return email
}

async function setRole(options: Options): Promise<Result> {
  const role = readRole(options)
  const email = await onPerson(options, (tx, change) => setOperatorRole(tx, role, change))
  return { json: { email, role }, text: `${email} is ${role}` }
}

async function remove(options: Options): Promise<Result> {
  const email = await onPerson(options, removeOperator)
  return { json: { email, removed: true }, text: `${email} is no longer an operator` }
}

async function resetCodes(options: Options): Promise<Result> {
  const email = await onPerson(options, async (tx, { userId, actor, now }) => {
    await resetOneTimeCodes(tx, userId)
    await recordAction(tx, {
      actor,
      action: 'one_time_codes.reset',
      target: readEmail(options, 'email'),
      now,
    })
  })
  return { json: { email }, text: `${email} signs in with the password alone` }
}

async function endAllSignIns(options: Options): Promise<Result> {
  const email = await onPerson(options, async (tx, { userId, actor, now }) => {
    await endSignIns(tx, userId)
    await recordAction(tx, { actor, action: 'sign_in.end_all', target: readEmail(options, 'email'), now })
  })
  return { json: { email }, text: `${email} is signed out everywhere` }
}

async function list(): Promise<Result> {
  const operators = await withDatabase(db => listOperators(db))
  const rows = operators.map(({ email, operatorRole, name, accountId }) => [
    email,
    operatorRole,
    accountId ?? 'none',
    name,
  ])
  return {
    json: {
      operators: operators.map(({ email, name, operatorRole, accountId }) => ({
        email,
        name,
        role: operatorRole,
        account_id: accountId,
      })),
    },
    text: alignColumns([['ADDRESS', 'ROLE', 'ACCOUNT', 'NAME'], ...rows]),
  }
}
