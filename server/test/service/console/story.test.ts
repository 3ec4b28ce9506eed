import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Console, choosePassword, PASSWORD, startConsole } from '../../support/console/console.ts'
import { bearer, KIKUYU } from '../../support/service/control-plane.ts'

let site: Console
beforeAll(async () => {
  site = await startConsole()
})
afterAll(() => site.close())

const form = { name: 'Wanjirũ', email: 'Wanjiru@Example.org', organisation: 'Clinic', use: 'Captions' }

describe('from the waitlist to a key and back', () => {
  it('joins, waits, is approved with credit, signs in, creates a key, uses it and revokes it', async () => {
    const operator = await site.operator()
    const visitor = site.browser()
    expect(await visitor.call('POST', '/waitlist', form)).toMatchObject({
      status: 202,
      json: { status: 'waiting' },
    })
    expect((await visitor.call('GET', '/application')).json).toEqual({ status: 'waiting' })

    const { json: waitlist } = await operator.call('GET', '/operator/waitlist')
    expect(waitlist.data).toMatchObject([{ ...form, email: 'wanjiru@example.org', status: 'waiting' }])
    const approval = await operator.call('POST', `/operator/waitlist/${waitlist.data[0].id}/approve`, {
      credit_seconds: 90,
    })
    expect(approval).toMatchObject({ status: 200, json: { emailed: false, email: 'wanjiru@example.org' } })
    expect(approval.json.link).toMatch(/^https:\/\/sauti\.test\/welcome#[\w-]{43}$/)
    expect((await visitor.call('GET', '/application')).json).toEqual({ status: 'approved' })

    const developer = site.browser()
    expect(await choosePassword(developer, approval.json.link)).toMatchObject({
      status: 200,
      json: { email: 'wanjiru@example.org', role: 'developer', account: { name: 'Clinic', active: true } },
    })
    expect((await choosePassword(site.browser(), approval.json.link)).json.error.code).toBe('invalid_link')
    expect((await developer.call('GET', '/usage')).json).toMatchObject({
      available_ms: 90_000,
      reserved_ms: 0,
    })

    const created = await developer.call('POST', '/keys', {
      name: 'server',
      models: [KIKUYU],
      expires_in_days: 30,
    })
    expect(created.json.api_key).toMatch(/^svc_live_v1_/)
    const { json: keys } = await developer.call('GET', '/keys')
    expect(keys.data).toMatchObject([{ name: 'server', models: [KIKUYU], revoked_at: null }])
    expect(JSON.stringify(keys)).not.toContain(created.json.api_key)
    expect(created.json.api_key.startsWith(keys.data[0].prefix)).toBe(true)

    const withKey = { headers: bearer({ key: created.json.api_key }) }
    expect((await site.call('/v1/usage', withKey)).json.available_ms).toBe(90_000)
    expect((await developer.call('DELETE', `/keys/${keys.data[0].id}`)).status).toBe(204)
    expect((await site.call('/v1/usage', withKey)).json.error.code).toBe('revoked_api_key')
  })

  it('makes no key that may use no model', async () => {
    const developer = await site.developer()
    const refused = await developer.call('POST', '/keys', { name: 'server', models: [] })
    expect([refused.status, refused.json.error.code]).toEqual([400, 'invalid_parameter'])
    expect((await developer.call('GET', '/keys')).json.data).toEqual([])
  })

  it('opens a session in the playground without a key, within credit and concurrency', async () => {
    const developer = await site.developer()
    const order = { model: KIKUYU, max_audio_seconds: 60 }
    const opened = await developer.call('POST', '/playground/sessions', order)
    expect(opened).toMatchObject({
      status: 201,
      json: { object: 'asr.session', credits: { reserved: 60, remaining: 540 } },
    })
    const second = await developer.call('POST', '/playground/sessions', order)
    expect(second.json.error.code).toBe('concurrency_limit_exceeded')
    const { json: usage } = await developer.call('GET', '/usage')
    expect(usage).toMatchObject({
      reserved_ms: 60_000,
      recent_sessions: [{ id: opened.json.id, status: 'reserved' }],
    })
    expect(usage.days).toHaveLength(30)
    expect(usage.days.at(-1)).toMatchObject({ date: site.now.toISOString().slice(0, 10), sessions: 1 })
  })

  it('declines, and lets the address ask again', async () => {
    const operator = await site.operator()
    const visitor = site.browser()
    const again = { ...form, email: 'declined@example.org' }
    await visitor.call('POST', '/waitlist', again)
    const { json: waitlist } = await operator.call('GET', '/operator/waitlist')
    const { id } = waitlist.data.find((one: { email: string }) => one.email === again.email)
    expect((await operator.call('POST', `/operator/waitlist/${id}/decline`, { note: 'no' })).status).toBe(204)
    expect(
      (await operator.call('POST', `/operator/waitlist/${id}/approve`, { credit_seconds: 1 })).json.error
        .code,
    ).toBe('already_decided')
    expect((await visitor.call('GET', '/application')).json).toEqual({ status: 'declined' })
    await visitor.call('POST', '/waitlist', again)
    expect((await visitor.call('GET', '/application')).json).toEqual({ status: 'waiting' })
  })
})

describe('operators', () => {
  it('search accounts, switch them off and on, raise limits and grant credit, and all of it is in the audit log', async () => {
    const operator = await site.operator('chief@operators.test')
    const developer = await site.developer('searched_for@people.test')
    const find = async (text: string) =>
      (await operator.call('GET', `/operator/accounts?q=${encodeURIComponent(text)}`)).json.data
    expect(await find('SEARCHED_for')).toMatchObject([{ id: developer.accountId, email: developer.email }])
    expect(await find('searched%for')).toEqual([])

    const path = `/operator/accounts/${developer.accountId}`
    expect((await operator.call('PATCH', path, { active: false })).json.active).toBe(false)
    const refused = await developer.call('POST', '/playground/sessions', {
      model: KIKUYU,
      max_audio_seconds: 5,
    })
    expect(refused.json.error.code).toBe('account_inactive')
    expect((await developer.call('GET', '/me')).json.account.active).toBe(false)
    await operator.call('PATCH', path, { active: true, concurrency_limit: 3 })
    const granted = await operator.call('POST', `${path}/credits`, {
      seconds: 30,
      note: 'sorry for the outage',
    })
    expect(granted.json).toMatchObject({ active: true, concurrency_limit: 3, available_ms: 630_000 })
    expect(granted.json.entries[0]).toMatchObject({
      kind: 'grant',
      amount_ms: 30_000,
      note: 'sorry for the outage',
    })
    expect(granted.json.users).toMatchObject([{ email: developer.email, has_password: true }])

    const { json: audit } = await operator.call('GET', '/operator/audit')
    const mine = audit.data.filter(
      ({ operator: who, action }: { operator: string; action: string }) =>
        who === 'chief@operators.test' && /^(credit|account)/.test(action),
    )
    expect(mine.map((entry: { action: string }) => entry.action)).toEqual([
      'credit.grant',
      'account.set_concurrency',
      'account.activate',
      'account.deactivate',
    ])
    await expect(site.db.query("UPDATE audit_entries SET action = 'nothing'")).rejects.toThrow('append-only')
    await expect(site.db.query('DELETE FROM audit_entries')).rejects.toThrow('append-only')
  })

  it('make a link for somebody who forgot the password; it ends all sign-ins and works once', async () => {
    const operator = await site.operator()
    const developer = await site.developer()
    const { json: account } = await operator.call('GET', `/operator/accounts/${developer.accountId}`)
    const { json } = await operator.call('POST', `/operator/users/${account.users[0].id}/password-link`)
    const other = site.browser()
    expect((await choosePassword(other, json.link)).status).toBe(200)
    expect((await developer.call('GET', '/me')).status).toBe(401)
    expect((await other.call('GET', '/me')).status).toBe(200)
  })

  it('see live sessions by their state, and the health of engine and database', async () => {
    const operator = await site.operator()
    const developer = await site.developer()
    await developer.call('POST', '/playground/sessions', { model: KIKUYU, max_audio_seconds: 5 })
    const { json } = await operator.call('GET', '/operator/sessions')
    const session = json.data.find((one: { account_id: string }) => one.account_id === developer.accountId)
    expect(session).toMatchObject({ status: 'reserved', model: KIKUYU, reserved_ms: 5000 })
    expect((await operator.call('GET', '/operator/health')).json).toMatchObject({
      ready: true,
      database: { ok: true },
      engine: { ok: true, missing_models: [] },
      mail: false,
    })
  })
})

describe('sign-ins that have ended', () => {
  it('are gone when somebody signs in', async () => {
    const developer = await site.developer()
    const ended = () => site.db.query('SELECT FROM sign_ins WHERE expires_at <= $1', [site.now])
    await site.db.query(
      `UPDATE sign_ins SET expires_at = $2 WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
      [developer.email, new Date(site.now.getTime() - 1000)],
    )
    expect(await ended()).toHaveLength(1)
    await site.browser().call('POST', '/sign-in', { email: developer.email, password: PASSWORD })
    expect(await ended()).toEqual([])
  })
})

describe('one’s own profile', () => {
  it('changes the name and the password, which ends other sign-ins', async () => {
    const developer = await site.developer()
    const elsewhere = site.browser()
    await elsewhere.call('POST', '/sign-in', { email: developer.email, password: PASSWORD })
    expect((await developer.call('PATCH', '/me', { name: 'New Name' })).json.name).toBe('New Name')
    const change = (current: string) =>
      developer.call('POST', '/password', { current_password: current, new_password: 'another long one' })
    expect((await change('wrong')).json.error.code).toBe('wrong_password')
    expect((await change(PASSWORD)).status).toBe(204)
    expect((await developer.call('GET', '/me')).json.name).toBe('New Name')
    expect((await elsewhere.call('GET', '/me')).json.error.code).toBe('sign_in_required')
    expect((await developer.call('POST', '/sign-out')).status).toBe(204)
    expect((await developer.call('GET', '/me')).status).toBe(401)
  })
})
