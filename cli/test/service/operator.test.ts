// The operator's commands as processes, on the database of a service that runs, and of one that is stopped.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../server/test/support/database/database.ts'
import { ask } from '../../../server/test/support/service/https.ts'
import { startTestService, type TestService } from '../../../server/test/support/service/service.ts'

const program = fileURLToPath(new URL('../../bin/sauti.js', import.meta.url))

interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Without the secret that only nodes of the service share: administrators of the database need not know it. */
function run(
  { SAUTI_SECRET: _, ...env }: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<Outcome> {
  return new Promise(resolve => {
    execFile(
      process.execPath,
      [program, ...args],
      { env: { PATH: process.env.PATH, ...env } },
      (error, stdout, stderr) => {
        resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr })
      },
    )
  })
}

/** Runs with --json and reads the one object. */
async function runJson(env: Readonly<Record<string, string>>, ...args: string[]) {
  const { exitCode, stdout, stderr } = await run(env, ...args, '--json')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toMatch(/^\{.*\}\n$/)
  return JSON.parse(stdout)
}

describe('while the service runs', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())

  const usage = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    const { status, body } = await ask(`${service.baseUrl}/v1/usage`, { agent: service.agent, headers })
    return { status, ...JSON.parse(body) }
  }

  it('an account is created, credited, deactivated and activated, and the service knows at once', async () => {
    const { account_id, api_key, ...rest } = await runJson(
      service.env,
      'accounts',
      'create',
      '--name',
      'Radio',
      '--credit-seconds',
      '90',
    )
    expect(rest).toEqual({})
    expect(await usage(api_key)).toMatchObject({ status: 200, available_ms: 90_000 })
    const grant = await runJson(
      service.env,
      'credits',
      'grant',
      '--account',
      account_id,
      '--seconds',
      '10',
      '--note',
      'a gift',
    )
    expect(grant).toEqual({ account_id, granted_ms: 10_000 })
    expect(await usage(api_key)).toMatchObject({ available_ms: 100_000 })

    expect(await runJson(service.env, 'accounts', 'deactivate', account_id)).toEqual({
      account_id,
      active: false,
    })
    expect(await usage(api_key)).toMatchObject({ status: 403, error: { code: 'account_inactive' } })
    await runJson(service.env, 'accounts', 'activate', '--account', account_id)
    expect(await usage(api_key)).toMatchObject({ status: 200 })

    await runJson(service.env, 'accounts', 'set-concurrency', '--account', account_id, '--limit', '3')
    const { accounts } = await runJson(service.env, 'accounts', 'list')
    expect(accounts).toContainEqual(
      expect.objectContaining({
        account_id,
        name: 'Radio',
        active: true,
        concurrency_limit: 3,
        available_ms: 100_000,
      }),
    )
  })

  it('a key is created with its limits, listed without its secret, and revoked', async () => {
    const { account_id } = await runJson(service.env, 'accounts', 'create', '--name', 'Keys')
    const create = [
      'keys',
      'create',
      '--account',
      account_id,
      '--name',
      'web',
      '--models',
      'svc-asr-kikuyu-v1',
      '--expires-in',
      '90d',
    ]
    const { key_id, api_key } = await runJson(service.env, ...create)
    expect(await usage(api_key)).toMatchObject({ status: 200 })
    const { keys } = await runJson(service.env, 'keys', 'list', '--account', account_id)
    expect(keys).toHaveLength(2)
    expect(keys[1]).toMatchObject({ key_id, name: 'web', state: 'valid', models: ['svc-asr-kikuyu-v1'] })
    expect(keys[1].last_used_at).not.toBeNull()
    expect(JSON.stringify(keys)).not.toContain(api_key)
    await runJson(service.env, 'keys', 'revoke', key_id)
    expect(await usage(api_key)).toMatchObject({ status: 401, error: { code: 'revoked_api_key' } })
  })

  it('every change so far is in the audit log, as lines of JSON and without keys', async () => {
    const { stdout } = await run(service.env, 'audit', 'export')
    const entries = stdout
      .trim()
      .split('\n')
      .map(line => String(JSON.parse(line).content))
    for (const action of [
      'account.create',
      'credit.grant',
      'account.deactivate',
      'account.activate',
      'key.create',
      'key.revoke',
    ])
      expect(
        entries.some(entry => entry.includes('command line') && entry.includes(action)),
        action,
      ).toBe(true)
    expect(stdout).not.toContain('svc_live_')
    expect(await run(service.env, 'audit', 'verify')).toMatchObject({ exitCode: 0 })
  })

  it('nodes are listed, and a backup is made and restored elsewhere', async () => {
    const { data } = await runJson(service.env, 'nodes')
    expect(data).toEqual([expect.objectContaining({ state: 'ready', url: service.baseUrl })])
    await runJson(service.env, 'accounts', 'create', '--name', 'Kept', '--credit-seconds', '5')
    const elsewhere = await createTestDatabase()
    const file = join(elsewhere.env.SAUTI_DATA_DIR!, 'backup')
    const { rows } = await runJson(service.env, 'backup', file)
    expect(await runJson(elsewhere.env, 'restore', file)).toEqual({ file, rows, ok: true })
    expect((await run(elsewhere.env, 'accounts', 'list')).stdout).toContain('Kept')
    const { exitCode, stderr } = await run(elsewhere.env, 'restore', file)
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('not empty') })
    await elsewhere.remove()
  })

  it('what does not exist fails with 1 and is named', async () => {
    const nobody = '01234567-89ab-4cde-8f01-23456789abcd'
    for (const args of [
      ['credits', 'grant', '--account', nobody, '--seconds', '1'],
      ['keys', 'create', '--account', nobody],
      ['accounts', 'activate', nobody],
      ['keys', 'revoke', nobody],
    ]) {
      const { exitCode, stdout, stderr } = await run(service.env, ...args)
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
      expect(stderr).toMatch(new RegExp(`^there is no (account|key) ${nobody}\n$`))
    }
  })

  it('the ledger is verified, and a difference is found and fails', async () => {
    expect(await runJson(service.env, 'ledger', 'verify')).toMatchObject({ ok: true, discrepancies: [] })
    const { account_id } = await runJson(service.env, 'accounts', 'create', '--name', 'Tampered')
    await service.database.query('ALTER TABLE accounts DISABLE TRIGGER USER')
    await service.database.query('UPDATE accounts SET available_ms = 1, granted_ms = 1 WHERE id = $1', [
      account_id,
    ])
    const { exitCode, stdout } = await run(service.env, 'ledger', 'verify')
    expect(exitCode).toBe(1)
    expect(stdout).toContain(`account ${account_id}: the balance differs from the sum of the entries`)
  })
})

describe('while the service is stopped', () => {
  let store: TestDatabase
  beforeAll(async () => {
    store = await createTestDatabase()
  })
  afterAll(() => store.remove())

  it('the same commands work, from an empty database on', async () => {
    const { account_id } = await runJson(
      store.env,
      'accounts',
      'create',
      '--name',
      'First',
      '--credit-seconds',
      '5',
    )
    await runJson(store.env, 'credits', 'grant', '--account', account_id, '--seconds', '0.5')
    const { stdout } = await run(store.env, 'accounts', 'list')
    expect(stdout).toMatch(new RegExp(`^ACCOUNT .*\n${account_id} +active +1 +5\\.5 +0 +0 +First\n$`))
    expect(await runJson(store.env, 'ledger', 'verify')).toMatchObject({ ok: true, accounts: 1, entries: 2 })
  })
})

describe('called wrongly', () => {
  it.each([
    [[], /^sauti: .*accounts create/s],
    [['accounts'], /accounts set-concurrency/],
    [['dance'], /^there is no command "dance"/],
    [['accounts', 'create'], /^--name is required/],
    [['sessions', 'cancel'], /^ID is required/],
    [['accounts', 'create', '--nam', 'x'], /^Unknown option '--nam'/],
    [['credits', 'grant', '--account', 'x', '--seconds', '1'], /^--account must be an id/],
  ])('sauti %j explains and exits with 2', async (args, words) => {
    const { exitCode, stdout, stderr } = await run({}, ...args)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(words)
  })

  it('help is not an error', async () => {
    expect(await run({}, '--help')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await run({}, 'keys', '--help')).toMatchObject({ exitCode: 0, stderr: '' })
    const { stdout } = await run({}, 'keys', 'create', '--help')
    expect(stdout).toContain('--expires-in TIME')
    expect(stdout).toContain('Examples:')
  })

  it('a bad setting is named', async () => {
    const { exitCode, stderr } = await run({ SAUTI_PORT: 'many' }, 'accounts', 'list')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('SAUTI_PORT')
  })
})
