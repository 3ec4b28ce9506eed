// Where somebody is signed in, how that ends, and what asks for the password again.

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
let developer: Developer
beforeAll(async () => {
  site = await startConsole({ trustedProxies: ['127.0.0.1'] })
  owner = await site.operator('owner@operators.test')
  developer = await site.developer('dev@people.test')
})
afterAll(() => site.close())

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

async function signIn(email: string): Promise<Browser> {
  const browser = site.browser()
  const headers = { 'x-forwarded-for': '203.0.113.4', 'user-agent': FIREFOX }
  await browser.call('POST', '/sign-in', { email, password: PASSWORD }, headers)
  return browser
}

describe('sign-ins', () => {
  it('are listed with address and kind of browser, and ended one by one or all at once', async () => {
    const elsewhere = await signIn('dev@people.test')
    const { json } = await developer.call('GET', '/sign-ins')
    const other = json.data.find((one: { current: boolean }) => !one.current)
    expect(other).toMatchObject({ address: '203.0.113.4', browser: 'Firefox on Linux', current: false })
    expect((await owner.call('DELETE', `/sign-ins/${other.id}`)).status).toBe(404)
    expect((await developer.call('DELETE', `/sign-ins/${other.id}`)).status).toBe(204)
    expect((await elsewhere.call('GET', '/me')).status).toBe(401)

    const [one, two] = [await signIn('dev@people.test'), await signIn('dev@people.test')]
    expect((await one.call('POST', '/sign-ins/end-all')).status).toBe(204)
    for (const browser of [one, two, developer]) expect((await browser.call('GET', '/me')).status).toBe(401)
    await developer.call('POST', '/sign-in', { email: 'dev@people.test', password: PASSWORD })
  })
})

describe('the password again', () => {
  const later = (minutes: number) => {
    site.now = new Date(site.now.getTime() + minutes * 60_000)
  }

  it('is asked for before keys, credit, links and operators, a quarter of an hour after it was given', async () => {
    const { json: key } = await developer.call('POST', '/keys', { name: 'made at once' })
    await developer.call('POST', '/credit-requests', { note: 'more' })
    const [request] = (await owner.call('GET', '/operator/credit-requests')).json.data
    later(16)
    const { json: account } = await owner.call('GET', `/operator/accounts/${developer.accountId}`)
    const guarded: [Browser, string, string, object][] = [
      [developer, 'POST', '/keys', { name: 'later' }],
      [developer, 'POST', `/keys/${key.id}/rotate`, {}],
      [developer, 'PATCH', `/keys/${key.id}`, { allowed_addresses: null }],
      [owner, 'POST', `/operator/accounts/${developer.accountId}/credits`, { seconds: 1, note: 'n' }],
      [owner, 'POST', `/operator/users/${account.users[0].id}/password-link`, {}],
      [owner, 'POST', '/operator/operators', { email: 'x@x.test', name: 'x', role: 'owner' }],
      [
        owner,
        'POST',
        '/operator/accounts',
        { name: 'n', person: 'p', email: 'y@x.test', credit_seconds: 60 },
      ],
      [owner, 'POST', `/operator/credit-requests/${request.id}/grant`, { seconds: 60 }],
      [owner, 'POST', '/operator/my-account', {}],
      [developer, 'POST', '/team', { name: 'x', email: 'z@x.test', role: 'owner' }],
    ]
    const codes = async () =>
      Promise.all(guarded.map(async ([who, ...call]) => (await who.call(...call)).json?.error?.code))
    expect(await codes()).toEqual(guarded.map(() => 'confirmation_required'))
    // Reading needs no confirmation.
    expect((await developer.call('GET', '/keys')).status).toBe(200)

    expect((await developer.call('POST', '/confirm', { password: 'wrong' })).json.error.code).toBe(
      'wrong_password',
    )
    for (const who of [developer, owner])
      expect((await who.call('POST', '/confirm', { password: PASSWORD })).status).toBe(204)
    expect(await codes()).toEqual(guarded.map(() => undefined))
    later(16)
    expect((await developer.call('POST', '/keys', { name: 'much later' })).status).toBe(403)
    expect((await developer.call('DELETE', `/keys/${key.id}`)).status).toBe(204)
  })
})
