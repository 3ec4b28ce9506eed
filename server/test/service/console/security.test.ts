import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from '#server/accounts/keys.js'
import {
  API,
  type Browser,
  type Console,
  type Developer,
  PASSWORD,
  startConsole,
} from '../../support/console.ts'
import { KIKUYU, PUBLIC_URL } from '../../support/control-plane.ts'

let site: Console
let operator: Browser
let developer: Developer
let victim: Developer
let victimKey: string
let victimUser: string
beforeAll(async () => {
  site = await startConsole()
  operator = await site.operator()
  developer = await site.developer()
  victim = await site.developer('victim@people.test')
  victimKey = randomUUID()
  await createKey(site.db, {
    id: victimKey,
    accountId: victim.accountId,
    name: '',
    models: null,
    expiresAt: null,
    now: site.now,
  })
  const { json } = await operator.call('GET', `/operator/accounts/${victim.accountId}`)
  victimUser = json.users[0].id
})
afterAll(() => site.close())

type Role = 'visitor' | 'developer' | 'operator'
/** What each role gets from each route: a status. Every route that the console has must stand here. */
const ROUTES: readonly [method: string, path: () => string, answers: Record<Role, number>, body?: unknown][] =
  [
    ['GET', () => '/me', { visitor: 401, developer: 200, operator: 200 }],
    ['PATCH', () => '/me', { visitor: 401, developer: 200, operator: 200 }, { name: 'Somebody' }],
    [
      'POST',
      () => '/password',
      { visitor: 401, developer: 400, operator: 400 },
      { current_password: 'wrong', new_password: 'long enough 1' },
    ],
    ['POST', () => '/me/delete', { visitor: 401, developer: 400, operator: 400 }, { password: 'wrong' }],
    ['GET', () => '/usage', { visitor: 401, developer: 200, operator: 403 }],
    ['GET', () => '/keys', { visitor: 401, developer: 200, operator: 403 }],
    ['POST', () => '/keys', { visitor: 401, developer: 201, operator: 403 }, { name: 'mine' }],
    ['DELETE', () => `/keys/${victimKey}`, { visitor: 401, developer: 404, operator: 403 }],
    [
      'POST',
      () => '/playground/sessions',
      { visitor: 401, developer: 201, operator: 403 },
      { model: KIKUYU, max_audio_seconds: 1 },
    ],
    ['GET', () => '/operator/waitlist', { visitor: 401, developer: 403, operator: 200 }],
    [
      'POST',
      () => `/operator/waitlist/${randomUUID()}/approve`,
      { visitor: 401, developer: 403, operator: 409 },
      { credit_seconds: 60 },
    ],
    [
      'POST',
      () => `/operator/waitlist/${randomUUID()}/decline`,
      { visitor: 401, developer: 403, operator: 409 },
    ],
    ['GET', () => '/operator/accounts', { visitor: 401, developer: 403, operator: 200 }],
    ['GET', () => `/operator/accounts/${victim.accountId}`, { visitor: 401, developer: 403, operator: 200 }],
    [
      'PATCH',
      () => `/operator/accounts/${victim.accountId}`,
      { visitor: 401, developer: 403, operator: 200 },
      { concurrency_limit: 1 },
    ],
    [
      'POST',
      () => `/operator/accounts/${victim.accountId}/credits`,
      { visitor: 401, developer: 403, operator: 200 },
      { seconds: 1, note: 'n' },
    ],
    [
      'POST',
      () => `/operator/users/${victimUser}/password-link`,
      { visitor: 401, developer: 403, operator: 200 },
    ],
    ['GET', () => '/operator/sessions', { visitor: 401, developer: 403, operator: 200 }],
    ['GET', () => '/operator/health', { visitor: 401, developer: 403, operator: 200 }],
    ['GET', () => '/operator/audit', { visitor: 401, developer: 403, operator: 200 }],
    ['GET', () => '/application', { visitor: 200, developer: 200, operator: 200 }],
    ['DELETE', () => '/application', { visitor: 204, developer: 204, operator: 204 }],
    [
      'POST',
      () => '/waitlist',
      { visitor: 202, developer: 202, operator: 202 },
      { name: 'n', email: `${randomUUID()}@x.test`, organisation: '', use: 'u' },
    ],
    [
      'POST',
      () => '/sign-in',
      { visitor: 401, developer: 401, operator: 401 },
      { email: 'victim@people.test', password: 'wrong' },
    ],
    [
      'POST',
      () => '/forgot-password',
      { visitor: 202, developer: 202, operator: 202 },
      { email: 'victim@people.test' },
    ],
    [
      'POST',
      () => '/set-password',
      { visitor: 400, developer: 400, operator: 400 },
      { token: 'no such', password: 'long enough 1' },
    ],
    ['GET', () => '/demo/clips', { visitor: 200, developer: 200, operator: 200 }],
    ['GET', () => '/demo/clips/none/audio', { visitor: 404, developer: 404, operator: 404 }],
    ['GET', () => '/demo/clips/none/transcript', { visitor: 404, developer: 404, operator: 404 }],
    ['POST', () => '/sign-out', { visitor: 204, developer: 204, operator: 204 }],
  ]

describe('what each role may do', () => {
  it.each(ROUTES)('%s %s', async (method, path, answers, body) => {
    // Signing in takes work on purpose; only signing out needs somebody of its own.
    const member = path() === '/sign-out' ? await signIn(developer.email) : developer
    const browsers = { visitor: site.browser(), developer: member, operator }
    const given: Partial<Record<Role, number>> = {}
    for (const role of ['visitor', 'developer', 'operator'] as const) {
      if (path() === '/sign-out' && role === 'operator') given[role] = 204
      else given[role] = (await browsers[role].call(method, path(), body)).status
    }
    expect(given).toEqual(answers)
  })

  it('has no route that the table above does not know', () => {
    const known = new Set(ROUTES.map(([method, path]) => `${method} ${shape(path())}`))
    const served = site.routes.filter(route => route.includes(API)).map(route => route.replace(API, ''))
    const missing = served.filter(route => !known.has(shape(route)) && !route.startsWith('HEAD'))
    expect(missing).toEqual([])
  })

  it('does not show or touch what belongs to others', async () => {
    const other = await signIn(developer.email)
    const answers = await Promise.all(['/me', '/usage', '/keys'].map(path => other.call('GET', path)))
    for (const { text } of answers) {
      expect(text).not.toContain(victim.accountId)
      expect(text).not.toContain(victimKey)
    }
    const [key] = await site.db.query('SELECT revoked_at FROM api_keys WHERE id = $1', [victimKey])
    expect(key).toEqual({ revoked_at: null })
  })
})

describe('requests from elsewhere', () => {
  const order = { name: 'stolen' }
  it.each([
    ['another origin', { origin: 'https://evil.test' }],
    ['an origin that only begins alike', { origin: `${PUBLIC_URL}.evil.test` }],
    ['no origin that can be told', { origin: 'null' }],
    ['no origin at all', { origin: '' }],
  ])('are refused from %s', async (_, headers) => {
    const answer = await developer.call('POST', '/keys', order, headers)
    expect(answer).toMatchObject({ status: 403, json: { error: { code: 'foreign_origin' } } })
    expect((await developer.call('DELETE', `/keys/${randomUUID()}`, undefined, headers)).status).toBe(403)
    const deletion = await developer.call('POST', '/me/delete', { password: PASSWORD }, headers)
    expect(deletion.status).toBe(403)
    expect((await developer.call('GET', '/me')).status).toBe(200)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'are refused as a form could send them: %s',
    async type => {
      const answer = await developer.call('POST', '/keys', order, { 'content-type': type })
      expect(answer.json.error.code).toBe('unsupported_media_type')
    },
  )

  it('get no CORS header, whatever they ask for', async () => {
    const answer = await site.call(`${API}/me`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.test' },
    })
    expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control'))).toEqual([])
  })
})

describe('signing in', () => {
  it('sets cookies that no script and no other site can use', async () => {
    const answer = await site
      .browser()
      .call('POST', '/sign-in', { email: developer.email, password: PASSWORD })
    const cookies = answer.headers['set-cookie']!
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatch(/^__Secure-sauti\.session_token=/)
    for (const part of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/']) expect(cookies[0]).toContain(part)
    expect(cookies[0]).not.toContain('Domain')
    expect(answer.text).not.toContain(decodeURIComponent(cookies[0]!.split(/[=.;]/)[2]!))
  })

  it('gives a new session every time, and none that a stranger has planted', async () => {
    const planted = site.browser()
    planted.cookies.set('__Secure-sauti.session_token', 'planted.c2lnbmF0dXJl')
    await planted.call('POST', '/sign-in', { email: developer.email, password: PASSWORD })
    const first = planted.cookies.get('__Secure-sauti.session_token')
    expect(first).not.toBe('planted.c2lnbmF0dXJl')
    await planted.call('POST', '/sign-in', { email: developer.email, password: PASSWORD })
    expect(planted.cookies.get('__Secure-sauti.session_token')).not.toBe(first)
  })

  it('refuses a token from the database that lacks the signature', async () => {
    const [row] = await site.db.query<{ token: string }>('SELECT token FROM sign_ins LIMIT 1')
    const thief = site.browser()
    for (const cookie of [row!.token, `${row!.token}.`, `${row!.token}.${'A'.repeat(43)}%3D`]) {
      thief.cookies.set('__Secure-sauti.session_token', cookie)
      expect((await thief.call('GET', '/me')).status).toBe(401)
    }
  })

  it('answers alike, and after like work, for known and unknown addresses', async () => {
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

  it('answers alike when a known address joins, asks for a password, or is new', async () => {
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

describe('script in what people write', () => {
  const script = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'

  it('comes back as data that no browser runs', async () => {
    await site.browser().call('POST', '/waitlist', {
      name: script,
      email: `${randomUUID()}@x.test`,
      organisation: script,
      use: script,
    })
    const answer = await operator.call('GET', '/operator/waitlist')
    expect(answer.json.data.some((one: { name: string }) => one.name === script)).toBe(true)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
  })

  it('is not reflected by an address that is not there', async () => {
    const answer = await site.call(`/${encodeURIComponent(script)}?q=${encodeURIComponent(script)}`)
    expect(answer.status).toBe(404)
    expect(answer.text).not.toContain('<script')
    expect(answer.headers['content-type']).toContain('application/json')
  })
})

describe('what must never be written', () => {
  it('keeps passwords, links, cookies and keys out of log and database', async () => {
    const { json } = await developer.call('POST', '/keys', { name: 'canary' })
    const { json: invitation } = await operator.call('POST', `/operator/users/${victimUser}/password-link`)
    const cookie = developer.cookies.get('__Secure-sauti.session_token')!
    const secrets = [
      PASSWORD,
      json.api_key,
      new URL(invitation.link).hash.slice(1),
      decodeURIComponent(cookie),
    ]
    const tables = await site.db.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    )
    const rows = await Promise.all(tables.map(({ name }) => site.db.query(`SELECT t::text FROM ${name} t`)))
    const written = JSON.stringify(rows) + site.logLines.join('')
    for (const secret of secrets) expect(written).not.toContain(secret)
  })
})

describe('brute force', () => {
  it('is stopped for one address name, known or not, and for one network address', async () => {
    const guarded = await startConsole({ settings: { signInFailures: 3, joinsPerHour: 3 } })
    try {
      const attempt = (email: string) =>
        guarded.browser().call('POST', '/sign-in', { email, password: 'a guess' })
      for (const email of ['somebody@x.test', 'nobody@x.test']) {
        for (let turn = 0; turn < 3; turn++) expect((await attempt(email)).status).toBe(401)
        const refused = await attempt(email.toUpperCase())
        expect(refused).toMatchObject({ status: 429, json: { error: { code: 'too_many_attempts' } } })
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
      }
      const statuses = []
      for (let turn = 0; turn < 12; turn++) statuses.push((await attempt(`user${turn}@x.test`)).status)
      expect(statuses.at(-1)).toBe(429)
      guarded.now = new Date(guarded.now.getTime() + 16 * 60_000)
      expect((await attempt('somebody@x.test')).status).toBe(401)
      const join = () =>
        guarded
          .browser()
          .call('POST', '/waitlist', { name: 'n', email: 'a@b.test', organisation: '', use: 'u' })
      const joins = [await join(), await join(), await join(), await join()]
      expect(joins.map(({ status }) => status)).toEqual([202, 202, 202, 429])
    } finally {
      await guarded.close()
    }
  })
})

it('stops whoever guesses the password at an open browser, by whichever door', async () => {
  const guarded = await startConsole({ settings: { signInFailures: 3 } })
  try {
    const person = await guarded.developer()
    const change = { current_password: 'a guess', new_password: 'long enough 1' }
    const guesses = [
      await person.call('POST', '/me/delete', { password: 'a guess' }),
      await person.call('POST', '/password', change),
      await person.call('POST', '/me/delete', { password: 'another' }),
    ]
    expect(guesses.map(({ json }) => json.error.code)).toEqual(Array(3).fill('wrong_password'))
    const refused = await person.call('POST', '/me/delete', { password: PASSWORD })
    expect(refused.json.error.code).toBe('too_many_attempts')
    expect((await person.call('GET', '/me')).status).toBe(200)
  } finally {
    await guarded.close()
  }
})

async function signIn(email: string): Promise<Browser> {
  const browser = site.browser()
  await browser.call('POST', '/sign-in', { email, password: PASSWORD })
  return browser
}

function shape(route: string): string {
  return route.replaceAll(/\/[0-9a-f]{8}-[0-9a-f-]{27}|\/:id|\/none/g, '/:')
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
