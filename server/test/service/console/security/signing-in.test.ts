import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Browser, choosePassword, openConsole, PASSWORD } from '../../../support/console/console.ts'

const site = await openConsole()
const developer = await site.developer()
const victim = await site.developer('victim@people.test')

async function entryOf(owner: Browser, email: string) {
  const { json: team } = await owner.call('GET', '/team')
  return team.data.find((one: { email: string }) => one.email === email.toLowerCase())
}

describe('signing in', () => {
  it('sets cookies that no script and no other site can use', async () => {
    const answer = await site
      .browser()
      .call('POST', '/sign-in', { email: developer.email, password: PASSWORD })
    const cookies = answer.headers['set-cookie']!
    expect(cookies).toHaveLength(2)
    expect(cookies[1]).toMatch(/^__Host-sauti_device=/)
    expect(cookies[0]).toMatch(/^__Host-sauti\.session_token=/)
    for (const part of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/']) expect(cookies[0]).toContain(part)
    expect(cookies[0]).not.toContain('Domain')
    expect(answer.text).not.toContain(decodeURIComponent(cookies[0]!.split(/[=.;]/)[2]!))
  })

  it('gives a new session every time, and none that a stranger has planted', async () => {
    const planted = site.browser()
    planted.cookies.set('__Host-sauti.session_token', 'planted.c2lnbmF0dXJl')
    await planted.call('POST', '/sign-in', { email: developer.email, password: PASSWORD })
    const first = planted.cookies.get('__Host-sauti.session_token')
    expect(first).not.toBe('planted.c2lnbmF0dXJl')
    await planted.call('POST', '/sign-in', { email: developer.email, password: PASSWORD })
    expect(planted.cookies.get('__Host-sauti.session_token')).not.toBe(first)
  })

  it('refuses a token from the database that lacks the signature', async () => {
    const [row] = await site.db.query<{ token: string }>('SELECT token FROM sign_ins LIMIT 1')
    const thief = site.browser()
    for (const cookie of [row!.token, `${row!.token}.`, `${row!.token}.${'A'.repeat(43)}%3D`]) {
      thief.cookies.set('__Host-sauti.session_token', cookie)
      expect((await thief.call('GET', '/me')).status).toBe(401)
    }
  })

  it('answers alike, after the same work, for known and unknown addresses', async () => {
    const attempt = async (email: string) => {
      const startedMs = performance.now()
      const { status, json } = await site
        .browser()
        .call('POST', '/sign-in', { email, password: 'not this one' })
      return { status, code: json.error.code, message: json.error.message, ms: performance.now() - startedMs }
    }
    const known = []
    const unknown = []
    for (let turn = 0; turn < 7; turn++) {
      known.push(await attempt(developer.email))
      unknown.push(await attempt(`${randomUUID()}@nowhere.test`))
    }
    const { ms: _, ...answer } = known[0]!
    for (const one of [...known, ...unknown]) expect(one).toMatchObject(answer)
    const ratio = median(known.map(one => one.ms)) / median(unknown.map(one => one.ms))
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
  })

  it('answers alike when a known or a new address joins or asks for a password', async () => {
    const join = async (email: string) => {
      const { status, text, headers } = await site
        .browser()
        .call('POST', '/waitlist', { name: 'N', email, organisation: '', use: 'u' })
      return { status, text, cookies: headers['set-cookie']!.map(line => line.replace(/=[^;]+/, '')) }
    }
    expect(await join(victim.email)).toEqual(await join(`${randomUUID()}@new.test`))
    const forgot = async (email: string) =>
      (await site.browser().call('POST', '/forgot-password', { email })).text
    expect(await forgot(victim.email)).toBe(await forgot(`${randomUUID()}@new.test`))
  })

  it('answers alike when an owner invites a known or a new address', async () => {
    const owner = await site.developer()
    const invited = async (email: string) => {
      const person = { name: 'Otieno', email, role: 'member' }
      const { status, json } = await owner.call('POST', '/team', person)
      const entry = await entryOf(owner, email)
      const again = (await owner.call('POST', '/team', person)).json.error?.code
      const shown = JSON.stringify([
        status,
        { ...json, link: json.link?.length },
        { ...entry, id: '' },
        again,
      ])
      expect((await owner.call('DELETE', `/team/${entry.id}`)).status).toBe(204)
      expect((await owner.call('GET', '/team')).json.data).toHaveLength(1)
      return shown.replaceAll(email.toLowerCase(), '').replace(json.expires_at, '')
    }
    expect(await invited(victim.email.toUpperCase())).toBe(await invited(`${randomUUID()}@new.test`))
  })

  it('lets nobody set the password of a known person with an invitation', async () => {
    const owner = await site.developer()
    const { json } = await owner.call('POST', '/team', {
      name: 'Otieno',
      email: victim.email,
      role: 'member',
    })
    const answer = await choosePassword(site.browser(), json.link)
    expect(answer.status).toBe(400)
    expect(answer.json.error.message).toContain('already has an account')
    const unknown = await choosePassword(site.browser(), `${json.link.split('#')[0]}#${'A'.repeat(43)}`)
    expect(unknown.json.error).toEqual({ ...answer.json.error, request_id: expect.any(String) })
    expect(await entryOf(owner, victim.email)).toMatchObject({ has_joined: false })
  })

  it('refuses weak, overlong and shapeless input before it costs anything', async () => {
    const visitor = site.browser()
    const codes = await Promise.all([
      visitor.call('POST', '/set-password', { token: 'x', password: 'short' }),
      visitor.call('POST', '/sign-in', { email: 'a@b.c', password: 'x'.repeat(129) }),
      visitor.call('POST', '/sign-in', { email: { $gt: '' }, password: 'x' }),
      visitor.call('POST', '/waitlist', { name: 'n', email: 'not an address', organisation: '', use: 'u' }),
      visitor.call('POST', '/waitlist', { name: ' ', email: 'a@b.cd', organisation: '', use: 'u' }),
    ])
    expect(codes.map(({ json }) => json.error.code)).toEqual(Array(5).fill('invalid_parameter'))
    expect((await visitor.call('POST', '/keys', { name: 'n', role: 'operator' })).status).toBe(401)
    const more = await developer.call('PATCH', '/me', { name: 'n', role: 'operator' })
    expect(more.json.error.code).toBe('unknown_parameter')
  })
})

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
