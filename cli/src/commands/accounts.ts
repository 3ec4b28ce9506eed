// sauti accounts ...: who may use the service, and how much at once.

import { randomUUID } from 'node:crypto'
import {
  type Account,
  createAccount,
  listAccounts,
  setAccountActive,
  setConcurrencyLimit,
} from '@sauti/server/accounts/accounts.js'
import { type Action, COMMAND_LINE, recordAction } from '@sauti/server/accounts/audit.js'
import { createKey } from '@sauti/server/accounts/keys.js'
import type { Tx } from '@sauti/server/db/port.js'
import { type Command, Failure, type OptionSpec, type Options, type Result } from '../command.ts'
import { alignColumns } from '../help.ts'
import { readCount, readCreditMs, readId, readName } from '../options.ts'
import { withDatabase } from '../with-database.ts'

const ACCOUNT_OPTION: OptionSpec = { value: 'ID', description: 'The account.', required: true }

export const accountCommands: readonly Command[] = [
  {
    name: 'accounts create',
    options: {
      name: { value: 'NAME', description: 'Name of the account.', required: true },
      'credit-seconds': { value: 'S', description: 'Starting credit in seconds of audio. Default: none.' },
    },
    examples: [
      'sauti accounts create --name "Radio Ramogi" --credit-seconds 3600',
      'sauti accounts create --name test --json',
    ],
    run: create,
  },
  {
    name: 'accounts list',
    options: {},
    examples: ['sauti accounts list', 'sauti accounts list --json'],
    run: list,
  },
  {
    name: 'accounts activate',
    options: { account: ACCOUNT_OPTION },
    positional: 'account',
    examples: ['sauti accounts activate 01234567-89ab-4cde-8f01-23456789abcd'],
    run: options => setActive(options, true),
  },
  {
    name: 'accounts deactivate',
    options: { account: ACCOUNT_OPTION },
    positional: 'account',
    examples: ['sauti accounts deactivate 01234567-89ab-4cde-8f01-23456789abcd'],
    run: options => setActive(options, false),
  },
  {
    name: 'accounts set-concurrency',
    options: {
      account: ACCOUNT_OPTION,
      limit: { value: 'N', description: 'Open sessions at once. New accounts have 1.', required: true },
    },
    positional: 'account',
    examples: ['sauti accounts set-concurrency --account 01234567-89ab-4cde-8f01-23456789abcd --limit 4'],
    run: setConcurrency,
  },
]

async function create(options: Options): Promise<Result> {
  const name = readName(options, 'name')
  const creditMs = options.text('credit-seconds') === undefined ? 0 : readCreditMs(options, 'credit-seconds')
  const accountId = randomUUID()
  const now = new Date()
  const apiKey = await withDatabase(db =>
    db.transaction(async tx => {
      await createAccount(tx, { id: accountId, name, creditMs, now })
      const key = await createKey(tx, {
        id: randomUUID(),
        accountId,
        name: 'first key',
        models: null,
        expiresAt: null,
        now,
      })
      const details = { credit_seconds: creditMs / 1000 }
      await recordAction(tx, {
        actor: COMMAND_LINE,
        action: 'account.create',
        target: accountId,
        details,
        now,
      })
      return key
    }),
  )
  return {
    json: { account_id: accountId, api_key: apiKey },
    text: `account  ${accountId}\napi key  ${apiKey}\n\nKeep the key on a trusted server: it is not shown again.`,
  }
}

async function list(): Promise<Result> {
  const accounts = await withDatabase(listAccounts)
  const rows = accounts.map(account => [
    account.id,
    account.active ? 'active' : 'inactive',
    String(account.concurrencyLimit),
    ...[account.availableMs, account.reservedMs, account.consumedMs].map(ms => String(ms / 1000)),
    account.name,
  ])
  const head = ['ACCOUNT', 'STATE', 'AT ONCE', 'AVAILABLE S', 'RESERVED S', 'CONSUMED S', 'NAME']
  return { json: { accounts: accounts.map(describe) }, text: alignColumns([head, ...rows]) }
}

function describe(account: Account): object {
  return {
    account_id: account.id,
    name: account.name,
    active: account.active,
    concurrency_limit: account.concurrencyLimit,
    granted_ms: account.grantedMs,
    available_ms: account.availableMs,
    reserved_ms: account.reservedMs,
    consumed_ms: account.consumedMs,
    created_at: account.createdAt.toISOString(),
  }
}

async function setActive(options: Options, active: boolean): Promise<Result> {
  const id = readId(options, 'account')
  await changeAccount(id, tx => setAccountActive(tx, id, active), {
    action: active ? 'account.activate' : 'account.deactivate',
  })
  return { json: { account_id: id, active }, text: `account ${id} is ${active ? 'active' : 'inactive'}` }
}

async function setConcurrency(options: Options): Promise<Result> {
  const id = readId(options, 'account')
  const limit = readCount(options, 'limit')
  await changeAccount(id, tx => setConcurrencyLimit(tx, id, limit), {
    action: 'account.set_concurrency',
    details: { concurrency_limit: limit },
  })
  return {
    json: { account_id: id, concurrency_limit: limit },
    text: `account ${id} may have ${limit} at once`,
  }
}

/** Makes the change and its entry in the audit log, or neither. */
async function changeAccount(
  id: string,
  change: (tx: Tx) => Promise<boolean>,
  entry: Pick<Action, 'action' | 'details'>,
): Promise<void> {
  await withDatabase(db =>
    db.transaction(async tx => {
      if (!(await change(tx))) throw new Failure(`there is no account ${id}`)
      await recordAction(tx, { ...entry, actor: COMMAND_LINE, target: id, now: new Date() })
    }),
  )
}
