// What each role of an operator may do, and that somebody always remains who may do everything.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Browser,
  type Console,
  type Developer,
  PASSWORD,
  startConsole,
} from '../../support/console/console.ts'

let site: Console
let owner: Browser
let support: Browser
let auditor: Browser
let customer: Developer
beforeAll(async () => {
  site = await startConsole({ settings: { supportGrantSeconds: 100 } })
  owner = await site.operator('owner@operators.test')
  support = await site.operator('support@operators.test', 'support')
  auditor = await site.operator('auditor@operators.test', 'auditor')
  customer = await site.developer()
})
afterAll(() => site.close())

const grant = (by: Browser, seconds: number) =>
  by.call('POST', `/operator/accounts/${customer.accountId}/credits`, { seconds, note: 'n' })

async function idOf(email: string): Promise<string> {
  const { json } = await owner.call('GET', '/operator/operators')
  return json.data.find((one: { email: string }) => one.email === email).id
}

describe('operators', () => {
  it('of every role read', async () => {
    const paths = [
      'waitlist',
      'accounts',
      `accounts/${customer.accountId}`,
      'sessions',
      'health',
      'audit',
      'operators',
    ]
    for (const path of paths)
      for (const browser of [owner, support, auditor])
        expect((await browser.call('GET', `/operator/${path}`)).status).toBe(200)
    expect((await support.call('GET', '/me')).json.operator_role).toBe('support')
    expect((await customer.call('GET', '/me')).json.operator_role).toBeNull()
  })

  it('change nothing unless they are owners', async () => {
    const { json } = await owner.call('GET', `/operator/accounts/${customer.accountId}`)
    const changes: [string, string, object?][] = [
      ['PATCH', `/operator/accounts/${customer.accountId}`, { active: false }],
      ['POST', `/operator/users/${json.users[0].id}/password-link`],
      ['POST', `/operator/users/${json.users[0].id}/end-sign-ins`],
      ['POST', `/operator/waitlist/${customer.accountId}/approve`, { credit_seconds: 1 }],
      ['POST', '/operator/operators', { email: 'x@x.test', name: 'x', role: 'owner' }],
      ['PATCH', `/operator/operators/${await idOf('support@operators.test')}`, { role: 'owner' }],
      ['DELETE', `/operator/operators/${await idOf('owner@operators.test')}`],
    ]
    for (const [method, path, body] of changes)
      for (const browser of [support, auditor])
        expect((await browser.call(method, path, body)).json.error.code).toBe('role_not_allowed')
  })

  it('in support grant credit up to a cap per day, also with requests at the same moment; auditors grant none', async () => {
    expect((await grant(auditor, 1)).json.error.code).toBe('role_not_allowed')
    const answers = await Promise.all(Array.from({ length: 6 }, () => grant(support, 30)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect((await grant(support, 11)).json.error.code).toBe('grant_cap_exceeded')
    expect((await grant(support, 10)).status).toBe(200)
    expect((await grant(owner, 1000)).status).toBe(200)
    site.now = new Date(site.now.getTime() + 25 * 3_600_000)
    for (const browser of [owner, support]) await browser.call('POST', '/confirm', { password: PASSWORD })
    expect((await grant(support, 100)).status).toBe(200)
  })

  it('are invited, change roles and are removed by owners, which ends their sign-ins at once', async () => {
    const order = { email: 'new@operators.test', name: 'New', role: 'auditor' }
    const { status, json } = await owner.call('POST', '/operator/operators', order)
    expect(status).toBe(201)
    expect(json.link).toContain('/welcome#')
    const id = await idOf('support@operators.test')
    await owner.call('PATCH', `/operator/operators/${id}`, { role: 'auditor' })
    expect((await grant(support, 1)).json.error.code).toBe('role_not_allowed')
    expect((await owner.call('DELETE', `/operator/operators/${id}`)).status).toBe(204)
    expect((await support.call('GET', '/me')).status).toBe(401)
    const { json: audit } = await owner.call('GET', '/operator/audit')
    expect(audit.data.map((one: { action: string }) => one.action)).toEqual(
      expect.arrayContaining(['operator.create', 'operator.set_role', 'operator.remove']),
    )
  })

  it('end the sign-ins of others', async () => {
    const { json } = await owner.call('GET', `/operator/accounts/${customer.accountId}`)
    const path = `/operator/users/${json.users[0].id}/end-sign-ins`
    expect((await owner.call('POST', path)).status).toBe(204)
    expect((await customer.call('GET', '/me')).status).toBe(401)
  })

  it('always leave an owner, even when several leave at once', async () => {
    const id = await idOf('owner@operators.test')
    await site.db.query("UPDATE users SET operator_role = 'auditor' WHERE id <> $1", [id])
    expect((await owner.call('DELETE', `/operator/operators/${id}`)).json.error.code).toBe('last_operator')
    const demotion = await owner.call('PATCH', `/operator/operators/${id}`, { role: 'support' })
    expect(demotion.json.error.code).toBe('last_operator')
    await site.operator('second@operators.test')
    const second = await idOf('second@operators.test')
    const answers = await Promise.all(
      [id, second].map(one => owner.call('PATCH', `/operator/operators/${one}`, { role: 'auditor' })),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    const [owners] = await site.db.query<{ count: number }>(
      "SELECT count(*) FROM users WHERE role = 'operator' AND operator_role = 'owner'",
    )
    expect(owners!.count).toBeGreaterThanOrEqual(1)
  })
})
