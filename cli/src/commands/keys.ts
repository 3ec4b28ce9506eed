// sauti keys ...: the API keys of an account.

import { randomUUID } from 'node:crypto'
import { ServiceError } from '@sauti/protocol/errors'
import { COMMAND_LINE, recordAction } from '@sauti/server/accounts/audit.js'
import { rotateKey } from '@sauti/server/accounts/key-rules.js'
import { createKey, listKeys, revokeKey, type StoredKey } from '@sauti/server/accounts/keys.js'
import { type Command, Failure, type Options, type Result } from '../command.ts'
import { alignColumns } from '../help.ts'
import { readAddresses, readExpiry, readId, readLimitMs, readModels, readName } from '../options.ts'
import { withDatabase } from '../with-database.ts'

const DEFAULT_OVERLAP_MS = 24 * 3600 * 1000

export const keyCommands: readonly Command[] = [
  {
    name: 'keys create',
    options: {
      account: { value: 'ID', description: 'The account that it belongs to.', required: true },
      name: { value: 'NAME', description: 'Name of the key, such as where it is used.' },
      models: { value: 'A,B', description: 'Models that it may use. Default: all.' },
      'expires-in': {
        value: 'TIME',
        description: 'Lifetime of the key, such as 12h or 90d. Default: until revoked.',
      },
      'monthly-seconds': {
        value: 'S',
        description: 'Audio that it may use per calendar month (UTC). Default: as much as the account has.',
      },
      addresses: {
        value: 'A,B',
        description: 'Addresses or networks that may use it, such as 10.0.0.0/8. Default: any.',
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
    options: { account: { value: 'ID', description: 'Only the keys of this account.' } },
    positional: 'account',
    examples: ['sauti keys list', 'sauti keys list --account 01234567-89ab-4cde-8f01-23456789abcd --json'],
    run: list,
  },
  {
    name: 'keys rotate',
    options: {
      key: { value: 'ID', description: 'ID of the key, as shown by keys list.', required: true },
      overlap: { value: 'TIME', description: 'How long both work, such as 2h or 7d. Default: 24h.' },
    },
    positional: 'key',
    examples: ['sauti keys rotate 01234567-89ab-4cde-8f01-23456789abcd --overlap 7d'],
    run: rotate,
  },
  {
    name: 'keys revoke',
    options: {
      key: { value: 'ID', description: 'ID of the key, as shown by keys list.', required: true },
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
    monthlyLimitMs: readLimitMs(options, 'monthly-seconds'),
    allowedAddresses: readAddresses(options, 'addresses'),
    now,
  }
  const apiKey = await withDatabase(db =>
    db.transaction(async tx => {
      const secret = await createKey(tx, key)
      if (!secret) throw new Failure(`there is no account ${key.accountId}`)
      const details = { account_id: key.accountId }
      await recordAction(tx, { actor: COMMAND_LINE, action: 'key.create', target: key.id, details, now })
      return secret
    }),
  )
  return {
    json: { key_id: key.id, api_key: apiKey, expires_at: key.expiresAt?.toISOString() ?? null },
    text: `key id   ${key.id}\napi key  ${apiKey}\n\nKeep the key on a trusted server: it is not shown again.`,
  }
}

async function rotate(options: Options): Promise<Result> {
  const keyId = readId(options, 'key')
  const now = new Date()
  const overlapEnd = readExpiry(options, 'overlap', now)
  const overlapMs = overlapEnd === null ? DEFAULT_OVERLAP_MS : overlapEnd.getTime() - now.getTime()
  const newKeyId = randomUUID()
  const apiKey = await withDatabase(db =>
    db.transaction(async tx => {
      const key = (await listKeys(tx, null)).find(({ id }) => id === keyId)
      if (!key) throw new Failure(`there is no key ${keyId}`)
      const secret = await rotateKey(tx, { accountId: key.accountId, keyId, newKeyId, overlapMs, now })
      await recordAction(tx, { actor: COMMAND_LINE, action: 'key.rotate', target: keyId, now })
      return secret
    }),
  ).catch(error => {
    if (error instanceof ServiceError) throw new Failure(error.message, { cause: error })
    throw error
  })
  const until = new Date(now.getTime() + overlapMs).toISOString()
  return {
    json: { key_id: newKeyId, api_key: apiKey, replaces: keyId, old_key_works_until: until },
    text: `key id   ${newKeyId}\napi key  ${apiKey}\n\nThe old key works until ${until}. The new one is not shown again.`,
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
    last_used_from: key.uses,
    monthly_limit_seconds: key.monthlyLimitMs === null ? null : key.monthlyLimitMs / 1000,
    allowed_addresses: key.allowedAddresses,
    replaced_by: key.replacedBy,
  }
}

async function revoke(options: Options): Promise<Result> {
  const id = readId(options, 'key')
  const now = new Date()
  await withDatabase(db =>
    db.transaction(async tx => {
      if (!(await revokeKey(tx, id, now))) throw new Failure(`there is no key ${id}`)
      await recordAction(tx, { actor: COMMAND_LINE, action: 'key.revoke', target: id, now })
    }),
  )
  return { json: { key_id: id, revoked: true }, text: `key ${id} is revoked` }
}
