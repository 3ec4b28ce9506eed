import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Browser,
  type Console,
  choosePassword,
  type Developer,
  startConsole,
} from '../../support/console/console.ts'

const MODEL = 'svc-asr-kikuyu-v1'

let site: Console
let operator: Browser
let developer: Developer
beforeAll(async () => {
  site = await startConsole()
  operator = await site.operator()
  developer = await site.developer()
})
afterAll(() => site.close())

const open = (seconds: number) =>
  developer.call('POST', '/playground/sessions', { model: MODEL, max_audio_seconds: seconds })

/** A session of the past, billed, as the ledger would have it. */
async function addPast(
  accountId: string,
  startedAt: string,
  model = MODEL,
  billedMs = 4000,
): Promise<string> {
  const id = randomUUID()
  await site.db.query(
    `INSERT INTO sessions (id, account_id, model, status, reserved_ms, audio_ms, billable_ms, created_at, expires_at, activated_at,
                           completed_at, ending, node_id)
     VALUES ($1, $2, $3, 'completed', 60000, 3500, $4, $5, $5, $5, $5, 'client_closed', $6)`,
    [id, accountId, model, billedMs, startedAt, randomUUID()],
  )
  return id
}

describe('sessions', () => {
  it('are listed with their source, filtered, and given as CSV', async () => {
    const other = await site.developer()
    const kikuyu = await addPast(developer.accountId, '2026-01-10T20:30:00Z')
    const dholuo = await addPast(developer.accountId, '2026-01-11T10:00:00Z', 'svc-asr-dholuo-v1')
    await addPast(other.accountId, '2026-01-11T11:00:00Z')
    const january = '?from=2026-01-01T00:00:00.000Z&to=2026-02-01T00:00:00.000Z'
    const idsOf = async (query: string) =>
      (await developer.call('GET', `/sessions${query}`)).json.data.map((row: { id: string }) => row.id)
    expect(await idsOf(january)).toEqual([dholuo, kikuyu])
    expect(await idsOf(`${january}&model=${MODEL}`)).toEqual([kikuyu])
    expect(await idsOf(`${january}&status=failed`)).toEqual([])
    expect(await idsOf(`${january}&key=playground`)).toEqual([dholuo, kikuyu])
    expect((await developer.call('GET', '/sessions?status=lost')).status).toBe(400)

    const csv = await developer.call('GET', `/sessions.csv${january}`)
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    const [head, first] = csv.text.split('\r\n')
    expect(head).toContain('id,started_at,ended_at,status')
    expect(first).toBe(
      `${dholuo},2026-01-11T10:00:00.000Z,2026-01-11T10:00:00.000Z,completed,client_closed,svc-asr-dholuo-v1,playground,,,60,3.5,4`,
    )
    const all = await operator.call('GET', `/operator/all-sessions${january}`)
    expect(all.json.data).toHaveLength(3)
    expect(all.json.data[0]).toMatchObject({ account_id: other.accountId, account_name: 'A developer' })
  })

  it('that were not opened are cancelled by their own account only', async () => {
    const stranger = await site.developer()
    const { json } = await open(30)
    expect((await stranger.call('DELETE', `/sessions/${json.id}`)).status).toBe(404)
    const cancelled = await developer.call('DELETE', `/sessions/${json.id}`)
    expect(cancelled).toMatchObject({ status: 200, json: { status: 'expired' } })
    expect((await developer.call('GET', '/usage')).json.reserved_ms).toBe(0)
  })

  it('need a sign-in, and all of them an operator', async () => {
    expect((await site.browser().call('GET', '/sessions')).status).toBe(401)
    expect((await developer.call('GET', '/operator/all-sessions')).status).toBe(403)
  })
})

describe('the usage report', () => {
  it('counts in days of the time zone that is asked for, by model and by key', async () => {
    const someone = await site.developer()
    // 20:30 in London is 23:30 in Nairobi; 21:30 is already the next day there.
    await addPast(someone.accountId, '2026-03-10T20:30:00Z')
    await addPast(someone.accountId, '2026-03-10T21:30:00Z', 'svc-asr-dholuo-v1', 7000)
    const report = async (zone: string) =>
      (await someone.call('GET', `/usage/report?from=2026-03-10&to=2026-03-11&zone=${zone}`)).json
    const billed = ({ days }: { days: { billable_ms: number }[] }) => days.map(day => day.billable_ms)
    expect(billed(await report('UTC'))).toEqual([11_000, 0])
    const nairobi = await report('Africa/Nairobi')
    expect(billed(nairobi)).toEqual([4000, 7000])
    expect(nairobi.by_model[0]).toMatchObject({ model: 'svc-asr-dholuo-v1', billable_ms: 7000, sessions: 1 })
    expect(nairobi.by_key).toEqual([{ key: null, audio_ms: 7000, billable_ms: 11_000, sessions: 2 }])
  })

  it.each([
    ['from=2026-03-11&to=2026-03-10&zone=UTC'],
    ['from=2020-01-01&to=2026-03-10&zone=UTC'],
    ['from=2026-03-10&to=2026-03-11&zone=Mars/Olympus'],
    ['from=yesterday&to=today'],
  ])('refuses %s', async query => {
    expect((await developer.call('GET', `/usage/report?${query}`)).status).toBe(400)
  })
})

describe('credit', () => {
  it('is asked for once, seen by the operator, granted once, and is in the ledger with its sign and balance', async () => {
    const someone = await site.developer()
    expect((await someone.call('POST', '/credit-requests', { note: '   ' })).status).toBe(400)
    await someone.call('POST', '/credit-requests', { note: 'An hour, for the clinic' })
    await someone.call('POST', '/credit-requests', { note: 'Again' })
    const { json: list } = await operator.call('GET', '/operator/credit-requests')
    const mine = list.data.filter((one: { account_id: string }) => one.account_id === someone.accountId)
    expect(mine).toMatchObject([{ note: 'An hour, for the clinic', available_ms: 600_000 }])
    expect((await operator.call('GET', '/operator/badge')).json.credit_requests).toBeGreaterThan(0)

    const grant = () =>
      operator.call('POST', `/operator/credit-requests/${mine[0].id}/grant`, { seconds: 3600 })
    const statuses = (await Promise.all([grant(), grant()])).map(answer => answer.status).sort()
    expect(statuses).toEqual([204, 409])
    expect((await someone.call('GET', '/usage')).json.available_ms).toBe(4_200_000)
    expect((await someone.call('GET', '/credit-requests')).json).toEqual({ waiting: false })

    await someone.call('POST', '/playground/sessions', { model: MODEL, max_audio_seconds: 30 })
    const { json: account } = await operator.call('GET', `/operator/accounts/${someone.accountId}`)
    const moved = account.entries.map((entry: { amount_ms: number; balance_ms: number }) => [
      entry.amount_ms,
      entry.balance_ms,
    ])
    expect(moved).toEqual([
      [-30_000, 4_170_000],
      [3_600_000, 4_200_000],
      [600_000, 600_000],
    ])
    const { json: audit } = await operator.call('GET', '/operator/audit')
    expect(audit.data[0]).toMatchObject({ action: 'credit.grant', target_name: 'A developer' })
  })

  it('requests are dismissed without a grant, and only by operators', async () => {
    const someone = await site.developer()
    await someone.call('POST', '/credit-requests', { note: 'More' })
    const { json } = await operator.call('GET', '/operator/credit-requests')
    const { id } = json.data.find((one: { account_id: string }) => one.account_id === someone.accountId)
    expect(
      (await someone.call('POST', `/operator/credit-requests/${id}/grant`, { seconds: 60 })).status,
    ).toBe(403)
    expect((await operator.call('POST', `/operator/credit-requests/${id}/dismiss`)).status).toBe(204)
    expect((await someone.call('GET', '/usage')).json.available_ms).toBe(600_000)
  })
})

describe('a team', () => {
  it('invites, shares the account, and only owners decide', async () => {
    const owner = await site.developer()
    const person = { name: 'Otieno', email: `${randomUUID()}@people.test`, role: 'member' }
    const invited = await owner.call('POST', '/team', person)
    expect(invited.status).toBe(201)
    const hasJoined = async () => {
      const { data } = (await owner.call('GET', '/team')).json
      return data.find((one: { email: string }) => one.email === person.email).has_joined
    }
    expect(await hasJoined()).toBe(false)
    const member = site.browser()
    await choosePassword(member, invited.json.link)
    expect(await hasJoined()).toBe(true)
    expect((await member.call('GET', '/me')).json.account.id).toBe(owner.accountId)
    expect((await member.call('GET', '/team')).json.can_manage).toBe(false)
    expect((await member.call('POST', '/team', { ...person, email: 'x@people.test' })).json.error.code).toBe(
      'owner_only',
    )
    expect((await owner.call('POST', '/team', person)).json.error.code).toBe('email_taken')

    const { json: team } = await owner.call('GET', '/team')
    const self = team.data.find((one: { is_me: boolean }) => one.is_me)
    const other = team.data.find((one: { is_me: boolean }) => !one.is_me)
    expect((await owner.call('DELETE', `/team/${self.id}`)).status).toBe(404)
    expect((await owner.call('DELETE', `/team/${other.id}`)).status).toBe(204)
    expect((await member.call('GET', '/me')).status).toBe(401)
    expect((await owner.call('GET', '/me')).json.account.active).toBe(true)
  })

  it('has an owner even after the owner has left', async () => {
    const owner = await site.developer()
    const person = { name: 'Akinyi', email: `${randomUUID()}@people.test`, role: 'member' }
    const { json } = await owner.call('POST', '/team', person)
    const member = site.browser()
    await choosePassword(member, json.link)
    await owner.call('POST', '/me/delete', { password: 'korrect horse battery' })
    expect((await member.call('GET', '/team')).json).toMatchObject({
      can_manage: true,
      data: [{ role: 'owner' }],
    })
  })

  it('keeps one of two owners who remove each other at the same moment', async () => {
    const first = await site.developer()
    const person = { name: 'Akinyi', email: `${randomUUID()}@people.test`, role: 'owner' }
    const { json } = await first.call('POST', '/team', person)
    const second = site.browser()
    await choosePassword(second, json.link)
    const { json: team } = await first.call('GET', '/team')
    const idOf = (isFirst: boolean) =>
      team.data.find((one: { is_me: boolean }) => one.is_me === isFirst).id as string
    await Promise.all([
      first.call('DELETE', `/team/${idOf(false)}`),
      second.call('DELETE', `/team/${idOf(true)}`),
    ])
    const members = await site.db.query('SELECT account_role FROM users WHERE account_id = $1', [
      first.accountId,
    ])
    expect(members).toEqual([{ account_role: 'owner' }])
    const [account] = await site.db.query('SELECT active FROM accounts WHERE id = $1', [first.accountId])
    expect(account).toEqual({ active: true })
  })

  it('cannot send mail to strangers without end', async () => {
    const [owner, other] = [await site.developer(), await site.developer()]
    const invite = async (from: Developer) => {
      const person = { name: 'Buy now', email: `${randomUUID()}@people.test`, role: 'member' }
      return (await from.call('POST', '/team', person)).status
    }
    const statuses: number[] = []
    for (let sent = 0; sent < 21; sent += 1) statuses.push(await invite(owner))
    expect(statuses).toEqual([...Array(20).fill(201), 429])
    expect(await invite(other)).toBe(201)
  })

  it('cannot be reached from another account', async () => {
    const stranger = await site.developer()
    const { json: team } = await developer.call('GET', '/team')
    expect((await stranger.call('DELETE', `/team/${team.data[0].id}`)).status).toBe(404)
  })
})

describe('operators', () => {
  it('create an account for themselves, once', async () => {
    const someone = await site.operator()
    expect((await someone.call('GET', '/me')).json.account).toBe(null)
    const answers = await Promise.all([1, 2].map(() => someone.call('POST', '/operator/my-account')))
    expect(answers.map(answer => answer.status).sort()).toEqual([201, 409])
    expect((await someone.call('GET', '/usage')).json.available_ms).toBe(600_000)
  })

  it('own their account, although they were a mere member of another before', async () => {
    const owner = await site.developer()
    const email = `${randomUUID()}@people.test`
    const { json } = await owner.call('POST', '/team', { name: 'Otieno', email, role: 'member' })
    const someone = site.browser()
    await choosePassword(someone, json.link)
    await operator.call('POST', '/operator/operators', { name: 'Otieno', role: 'owner', email })
    const { json: team } = await owner.call('GET', '/team')
    await owner.call('DELETE', `/team/${team.data.find((one: { is_me: boolean }) => !one.is_me).id}`)
    expect((await someone.call('POST', '/operator/my-account')).status).toBe(201)
    expect((await someone.call('GET', '/team')).json).toMatchObject({ can_manage: true })
  })

  it('create accounts and invite operators in the console', async () => {
    const email = `${randomUUID()}@people.test`
    const order = { name: 'Radio Ramogi', person: 'Achieng', email, credit_seconds: 120 }
    const { status, json } = await operator.call('POST', '/operator/accounts', order)
    expect([status, json.email]).toEqual([201, email])
    expect((await operator.call('POST', '/operator/accounts', order)).json.error.code).toBe('email_taken')
    const person = site.browser()
    await choosePassword(person, json.link)
    expect((await person.call('GET', '/usage')).json.available_ms).toBe(120_000)

    const invited = await operator.call('POST', '/operator/operators', {
      name: 'Second',
      role: 'support',
      email: `${randomUUID()}@operators.test`,
    })
    const second = site.browser()
    await choosePassword(second, invited.json.link)
    expect((await second.call('GET', '/operator/badge')).status).toBe(200)
  })
})

describe('a password link', () => {
  it('says that it was used before anybody chooses a password', async () => {
    const { json } = await operator.call('POST', '/operator/operators', {
      name: 'Third',
      role: 'auditor',
      email: `${randomUUID()}@operators.test`,
    })
    const token = new URL(json.link).hash.slice(1)
    const check = () => site.browser().call('POST', '/check-link', { token })
    expect((await check()).status).toBe(204)
    await choosePassword(site.browser(), json.link)
    expect((await check()).json.error.code).toBe('invalid_link')
  })
})
