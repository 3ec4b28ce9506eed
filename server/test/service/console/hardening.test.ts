// Weaknesses that an audit once found, each tested over HTTP.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setAccountActive } from '#server/accounts/accounts.js'
import { createKey, type NewKey } from '#server/accounts/keys.js'
import { createPasswordLink } from '#server/accounts/password-link.js'
import { createAuth } from '#server/http/console/auth/auth.js'
import { deriveCookieSecrets, renewSignature } from '#server/http/console/auth/cookie-secrets.js'
import { createDevices } from '#server/http/console/sign-in/device.js'
import { type Browser, type Console, PASSWORD, startConsole } from '../../support/console/console.ts'
import { PUBLIC_URL, startControlPlane } from '../../support/service/control-plane.ts'

let site: Console
let operator: Browser
beforeAll(async () => {
  site = await startConsole()
  operator = await site.operator()
})
afterAll(() => site.close())

describe('keys', () => {
  it('made by 20 requests at the same moment stay within the limit of 50', async () => {
    const developer = await site.developer()
    for (let at = 0; at < 45; at++) await createKey(site.db, keyOf(developer.accountId))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => developer.call('POST', '/keys', { name: `key ${at}` })),
    )
    expect(answers.filter(answer => answer.status === 201)).toHaveLength(5)
    expect(answers.filter(answer => answer.status === 400)).toHaveLength(15)
  })

  function keyOf(accountId: string): NewKey {
    return { id: randomUUID(), accountId, name: 'made before', models: null, expiresAt: null, now: site.now }
  }

  it('are not made for an inactive account', async () => {
    const developer = await site.developer()
    await setAccountActive(site.db, developer.accountId, false)
    const answer = await developer.call('POST', '/keys', { name: 'no' })
    expect(answer).toMatchObject({ status: 403, json: { error: { code: 'account_inactive' } } })
  })
})

describe('password links', () => {
  const linkFor = (userId: string, purpose: 'invitation' | 'reset') =>
    createPasswordLink(site.db, { userId, purpose, publicUrl: PUBLIC_URL, now: site.now })
  const use = (url: string) =>
    site.browser().call('POST', '/set-password', { token: new URL(url).hash.slice(1), password: PASSWORD })

  async function userOf(accountId: string): Promise<string> {
    const { json } = await operator.call('GET', `/operator/accounts/${accountId}`)
    return json.users[0].id
  }

  it('do not survive a change of the password', async () => {
    const developer = await site.developer()
    const link = await linkFor(await userOf(developer.accountId), 'reset')
    const next = `${PASSWORD} and more`
    await developer.call('POST', '/password', { current_password: PASSWORD, new_password: next })
    expect((await use(link.url)).json.error.code).toBe('invalid_link')
  })

  it('live one hour for a forgotten password, three days for an invitation', async () => {
    const developer = await site.developer()
    const userId = await userOf(developer.accountId)
    const hours = async (purpose: 'invitation' | 'reset') =>
      ((await linkFor(userId, purpose)).expiresAt.getTime() - site.now.getTime()) / 3_600_000
    expect([await hours('reset'), await hours('invitation')]).toEqual([1, 72])
    const { json } = await operator.call('POST', `/operator/users/${userId}/password-link`)
    expect(new Date(json.expires_at).getTime() - site.now.getTime()).toBe(3_600_000)
  })
})

describe('characters that terminals and databases treat as commands', () => {
  const join = (field: string, value: string) =>
    site.browser().call('POST', '/waitlist', {
      name: 'N',
      email: `${randomUUID()}@x.test`,
      organisation: '',
      use: 'u',
      ...{ [field]: value },
    })

  it.each(['\u0000', '\u001b[2J', '\u009b31m', '\u202egnp.exe', '\u2028'])(
    '%j is refused in every field',
    async character => {
      for (const field of ['name', 'organisation', 'use'])
        expect((await join(field, `a${character}b`)).status).toBe(400)
      expect((await join('email', `a${character}b@x.test`)).status).toBe(400)
    },
  )

  it('are told from what people write', async () => {
    expect((await join('use', 'Line one\r\n\tand two: Gĩkũyũ, naïve, 你好 🙂')).status).toBe(202)
    expect((await join('name', 'Wanjirũ O’Brien-Kamau')).status).toBe(202)
  })
})

describe('common passwords', () => {
  it.each(['1234567890', 'qwertyuiop', 'Q1W2E3R4T5'])(
    '%s is refused wherever one is chosen',
    async password => {
      const developer = await site.developer()
      const change = { current_password: PASSWORD, new_password: password }
      expect((await developer.call('POST', '/password', change)).json.error.code).toBe('common_password')
      const set = await site.browser().call('POST', '/set-password', { token: 'x', password })
      expect(set.json.error.code).toBe('common_password')
    },
  )
})

describe('a new secret', () => {
  it('signs nobody out while the previous one is there', async () => {
    const before = deriveCookieSecrets(['old secret'])
    const during = deriveCookieSecrets(['new secret', 'old secret'])
    const after = deriveCookieSecrets(['new secret'])
    const name = '__Host-sauti.session_token'
    const auths = [before, during, after].map(cookieSecrets =>
      createAuth({ db: site.db, cookieSecrets, newId: randomUUID, publicUrl: () => PUBLIC_URL }),
    )
    const [old, both, next] = auths
    await site.operator('rotating@operators.test')
    const { cookies } = (await old!.signIn('rotating@operators.test', PASSWORD))!
    const cookie = cookies[0]!.split(';')[0]!
    expect(await both!.recognise(`a=b; ${cookie}`)).toBeDefined()
    expect(await next!.recognise(cookie)).toBeUndefined()
    expect(await next!.recognise(renewSignature(cookie, name, during))).toBeDefined()
    expect(renewSignature(`${name}=forged.x; ${name}=%E0`, name, during)).toContain('forged.x')
    const device = createDevices(before).remember('a@b.test').split(';')[0]!
    expect(createDevices(during).recognise(device, 'a@b.test')).toBeDefined()
    expect(createDevices(after).recognise(device, 'a@b.test')).toBeUndefined()
  })
})

describe('headers and addresses that operators expect', () => {
  it('keep other origins apart', async () => {
    const { headers } = await site.call('/v1/models')
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
  })

  it('link to the source where its address is set, and nowhere else', async () => {
    expect((await site.call('/')).text).not.toMatch(/__SOURCE_URL__|Source code/)
    const linked = await startConsole({ settings: { sourceUrl: 'https://example.org/?a&"b' } })
    try {
      expect((await linked.call('/')).text).toContain(
        '<a href="https://example.org/?a&amp;&quot;b">Source code</a>',
      )
    } finally {
      await linked.close()
    }
  })

  it('say where to report a vulnerability, where that is set', async () => {
    expect((await site.call('/.well-known/security.txt')).status).toBe(404)
    const plane = await startControlPlane({ securityContact: 'mailto:security@sauti.test' })
    try {
      const { status, text } = await plane.call('/.well-known/security.txt')
      expect(status).toBe(200)
      expect(text).toMatch(/^Contact: mailto:security@sauti\.test\nExpires: \d{4}-\d\d-\d\dT/)
    } finally {
      await plane.close()
    }
  })
})
