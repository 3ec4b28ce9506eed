// sauti keys ...: the API keys of an account.

import { randomUUID } from 'node:crypto'
import { createKey, listKeys, revokeKey, type StoredKey } from '@sauti/server/accounts/keys.js'
import { type Command, Failure, type Options, type Result } from '../command.ts'
import { alignColumns } from '../help.ts'
import { readExpiry, readId, readModels, readName } from '../options.ts'
import { withDatabase } from '../with-database.ts'

export const keyCommands: readonly Command[] = [
  {
    name: 'keys create',
    summary: 'Create an API key, which is shown once.',
    options: {
      account: { value: 'ID', description: 'The account that it belongs to.', required: true },
      name: { value: 'NAME', description: 'What it is for.' },
      models: { value: 'A,B', description: 'Models that it may use. Without it: all.' },
      'expires-in': {
        value: 'TIME',
        description: 'Life of the key, such as 12h or 90d. Without it: until revoked.',
      },
    },
    examples: [
      'sauti keys create --account 01234567-89ab-4cde-8f01-23456789abcd --name "web server"',
      'sauti keys create --account 01234567-89ab-4cde-8f01-23456789abcd --models svc-asr-kikuyu-v1 --expires-in 90d',
    ],
    run: create,
  },
  {
    name: 'keys list',
    summary: 'List API keys, of all accounts or of one. The keys themselves are not kept.',
    options: { account: { value: 'ID', description: 'Only the keys of this account.' } },
    positional: 'account',
    examples: ['sauti keys list', 'sauti keys list --account 01234567-89ab-4cde-8f01-23456789abcd --json'],
    run: list,
  },
  {
    name: 'keys revoke',
    summary: 'Revoke an API key: it is refused from the next request on, and its open streams are closed.',
    options: {
      key: { value: 'ID', description: 'The id of the key, as keys list shows it.', required: true },
    },
    positional: 'key',
    examples: ['sauti keys revoke 01234567-89ab-4cde-8f01-23456789abcd'],
    run: revoke,
  },
]

async function create(options: Options): Promise<Result> {
  const now = new Date()
  const key = {
    id: randomUUID(),
    accountId: readId(options, 'account'),
    name: options.text('name') === undefined ? '' : readName(options, 'name'),
    models: readModels(options, 'models'),
    expiresAt: readExpiry(options, 'expires-in', now),
    now,
  }
  const apiKey = await withDatabase(db => createKey(db, key))
  if (!apiKey) throw new Failure(`there is no account ${key.accountId}`)
  return {
    json: { key_id: key.id, api_key: apiKey, expires_at: key.expiresAt?.toISOString() ?? null },
    text: `key id   ${key.id}\napi key  ${apiKey}\n\nKeep the key on a trusted server: it is not shown again.`,
  }
}

async function list(options: Options): Promise<Result> {
  const account = options.text('account') === undefined ? null : readId(options, 'account')
  const keys = await withDatabase(db => listKeys(db, account))
  const now = new Date()
  const rows = keys.map(key => [
    key.id,
    key.accountId,
    `${key.hint}…`,
    stateOf(key, now),
    key.models?.join(',') ?? 'all',
    key.lastUsedAt?.toISOString() ?? 'never',
    key.name,
  ])
  const head = ['KEY', 'ACCOUNT', 'BEGINS', 'STATE', 'MODELS', 'LAST USED', 'NAME']
  return { json: { keys: keys.map(key => describe(key, now)) }, text: alignColumns([head, ...rows]) }
}

function stateOf({ revokedAt, expiresAt }: StoredKey, now: Date): string {
  if (revokedAt) return 'revoked'
  return expiresAt && expiresAt <= now ? 'expired' : 'valid'
}

function describe(key: StoredKey, now: Date): object {
  return {
    key_id: key.id,
    account_id: key.accountId,
    name: key.name,
    begins: key.hint,
    state: stateOf(key, now),
    models: key.models,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  }
}

async function revoke(options: Options): Promise<Result> {
  const id = readId(options, 'key')
  const found = await withDatabase(db => revokeKey(db, id, new Date()))
  if (!found) throw new Failure(`there is no key ${id}`)
  return { json: { key_id: id, revoked: true }, text: `key ${id} is revoked` }
}
