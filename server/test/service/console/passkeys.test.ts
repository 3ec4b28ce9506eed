// Passkeys as the service sees them: what it accepts, what it refuses, and what it writes down. A real browser adds and uses one in
// console/test/browser/passkeys.test.ts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allowsPasskeys } from '#server/http/console/auth/own-addresses.js'
import { Authenticator } from '../../support/console/authenticator.ts'
import { type Browser, type Console, PASSWORD, startConsole } from '../../support/console/console.ts'

const FAILURES = 5
let site: Console
beforeAll(async () => {
  site = await startConsole({ settings: { signInFailures: FAILURES }, trustedProxies: ['127.0.0.1'] })
})
afterAll(() => site.close())

let visitors = 0
/** Each from a network address of its own, so that one test's failures are not another's. */
const fromSomewhere = () => ({ 'x-forwarded-for': `198.51.100.${++visitors}` })

async function addPasskey(browser: Browser, authenticator: Authenticator, name = 'My phone') {
  const { json: options } = await browser.call('POST', '/passkeys/begin')
  return browser.call('POST', '/passkeys', { name, response: authenticator.create(options) })
}

async function signIn(authenticator: Authenticator, headers = fromSomewhere(), browser = site.browser()) {
  const { json: options } = await browser.call('POST', '/sign-in/passkey/begin', {}, headers)
  const response = authenticator.get(options)
  const answer = await browser.call('POST', '/sign-in/passkey', { response }, headers)
  return { browser, response, answer }
}

async function actions(email: string): Promise<string[]> {
  const rows = await site.db.query<{ action: string; details: { with?: string } }>(
    'SELECT action, details FROM audit_entries WHERE target = $1 ORDER BY id',
    [email],
  )
  return rows.map(({ action, details }) => (details.with ? `${action} with ${details.with}` : action))
}

describe('passkeys', () => {
  it('are added, listed, renamed and removed; adding and removing is in the audit log', async () => {
    const browser = await site.operator('keys@operators.test')
    const authenticator = new Authenticator()
    const added = await addPasskey(browser, authenticator)
    expect(added).toMatchObject({ status: 201, json: { name: 'My phone', last_used_at: null } })
    const { id } = added.json
    expect((await browser.call('PATCH', `/passkeys/${id}`, { name: 'Old phone' })).json.name).toBe(
      'Old phone',
    )
    expect((await browser.call('GET', '/passkeys')).json.data).toMatchObject([{ id, name: 'Old phone' }])
    expect((await browser.call('DELETE', `/passkeys/${id}`)).status).toBe(204)
    expect((await browser.call('GET', '/passkeys')).json.data).toEqual([])
    expect((await signIn(authenticator)).answer).toMatchObject({
      status: 401,
      json: { error: { code: 'passkey_refused' } },
    })
    expect((await actions('keys@operators.test')).slice(-2)).toEqual(['passkey.add', 'passkey.remove'])
  })

  it('sign in without a password or a code, and count as a fresh confirmation', async () => {
    const developer = await site.developer('door@people.test')
    const authenticator = new Authenticator()
    await addPasskey(developer, authenticator)
    const { browser, answer } = await signIn(authenticator)
    expect(answer).toMatchObject({ status: 200, json: { email: 'door@people.test' } })
    expect((await browser.call('GET', '/me')).status).toBe(200)
    expect((await browser.call('POST', '/keys', { name: 'fresh' })).status).toBe(201)
    const [passkey] = (await browser.call('GET', '/passkeys')).json.data
    expect(passkey.last_used_at).not.toBeNull()
    expect(await actions('door@people.test')).toContain('sign_in.start with passkey')
  })

  it('are added and removed only soon after the password', async () => {
    const browser = await site.operator('late@operators.test')
    const { json: passkey } = await addPasskey(browser, new Authenticator())
    const before = site.now
    site.now = new Date(before.getTime() + 16 * 60_000)
    for (const [method, path] of [
      ['POST', '/passkeys/begin'],
      ['POST', '/passkeys'],
      ['DELETE', `/passkeys/${passkey.id}`],
    ] as const) {
      const body = { name: 'x', response: new Authenticator().create({ challenge: '' }) }
      const answer = await browser.call(method, path, body)
      expect(answer.json.error.code).toBe('confirmation_required')
    }
    expect((await browser.call('POST', '/confirm', { password: PASSWORD })).status).toBe(204)
    expect((await browser.call('DELETE', `/passkeys/${passkey.id}`)).status).toBe(204)
    site.now = before
  })

  it('of another person can be neither renamed nor removed', async () => {
    const owner = await site.operator('owner@operators.test')
    const { json: passkey } = await addPasskey(owner, new Authenticator())
    const other = await site.operator('other@operators.test')
    expect((await other.call('PATCH', `/passkeys/${passkey.id}`, { name: 'mine' })).status).toBe(404)
    expect((await other.call('DELETE', `/passkeys/${passkey.id}`)).status).toBe(404)
    expect((await owner.call('GET', '/passkeys')).json.data).toMatchObject([{ name: 'My phone' }])
  })

  it.each([
    ['made for another origin', { origin: 'https://sauti.test.evil.example' }],
    ['made for another host name', { rpId: 'evil.example' }],
    ['whose device asked for no PIN or fingerprint', { verifiesPerson: false }],
  ])('are not added when %s', async (_, options) => {
    const browser = await site.operator()
    const answer = await addPasskey(browser, new Authenticator(options))
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'passkey_not_added' } } })
    expect((await browser.call('GET', '/passkeys')).json.data).toEqual([])
  })

  it('are refused with an answer that was used before, and with one for a challenge of another browser', async () => {
    const authenticator = new Authenticator()
    await addPasskey(await site.operator('replayed@operators.test'), authenticator)
    const { browser, response } = await signIn(authenticator)
    const again = await browser.call('POST', '/sign-in/passkey', { response }, fromSomewhere())
    expect(again.json.error.code).toBe('passkey_refused')
    const thief = site.browser()
    await thief.call('POST', '/sign-in/passkey/begin', {}, fromSomewhere())
    const stolen = await thief.call('POST', '/sign-in/passkey', { response }, fromSomewhere())
    expect(stolen.json.error.code).toBe('passkey_refused')
    expect((await thief.call('GET', '/me')).status).toBe(401)
    expect(await actions('replayed@operators.test')).toContain('sign_in.refuse with passkey')
  })

  it('are refused when the authenticator counts backwards: it was copied', async () => {
    const authenticator = new Authenticator()
    await addPasskey(await site.operator('copied@operators.test'), authenticator)
    authenticator.counter = 10
    expect((await signIn(authenticator)).answer.status).toBe(200)
    authenticator.counter = 5
    expect((await signIn(authenticator)).answer.json.error.code).toBe('passkey_refused')
  })

  it('are refused after too many wrong answers, while the right one from elsewhere is not', async () => {
    const authenticator = new Authenticator()
    await addPasskey(await site.operator('guessed@operators.test'), authenticator)
    const forged = new Authenticator()
    const address = fromSomewhere()
    const browser = site.browser()
    const attempt = async () => {
      const { json: options } = await browser.call('POST', '/sign-in/passkey/begin', {}, address)
      const response = { ...forged.get(options), id: authenticator.id, rawId: authenticator.id }
      return (await browser.call('POST', '/sign-in/passkey', { response }, address)).json.error.code
    }
    for (let turn = 0; turn < FAILURES; turn++) expect(await attempt()).toBe('passkey_refused')
    expect(await attempt()).toBe('too_many_attempts')
    expect((await signIn(authenticator)).answer.status).toBe(200)
  })

  it('leave no more challenges behind than one address may ask for', async () => {
    const address = fromSomewhere()
    const most = FAILURES * 5 * 5
    for (let turn = 0; turn < most; turn++)
      expect((await site.browser().call('POST', '/sign-in/passkey/begin', {}, address)).status).toBe(200)
    const refused = await site.browser().call('POST', '/sign-in/passkey/begin', {}, address)
    expect(refused).toMatchObject({ status: 429, json: { error: { code: 'too_many_attempts' } } })
  })

  it('are offered only where browsers allow them: at the public address, if that has a host name', async () => {
    const { json } = await site.browser().call('GET', '/features')
    expect(json).toMatchObject({ passkeys: true, public_url: 'https://sauti.test' })
    const elsewhere = { host: '127.0.0.1:8443', origin: 'https://127.0.0.1:8443' }
    const refused = await site.browser().call('POST', '/sign-in/passkey/begin', {}, elsewhere)
    expect(refused).toMatchObject({ status: 409, json: { error: { code: 'passkeys_unavailable' } } })
    for (const address of ['https://127.0.0.1:8443', 'https://[::1]:8443'])
      expect(allowsPasskeys(address)).toBe(false)
    expect(allowsPasskeys('https://localhost:8443')).toBe(true)
  })
})
