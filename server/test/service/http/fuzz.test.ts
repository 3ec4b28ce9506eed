// Whatever is asked, the answer is never that something went wrong on our side.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API, type Browser, type Console, startConsole } from '../../support/console/console.ts'
import { bearer, PUBLIC_URL } from '../../support/service/control-plane.ts'
import type { Customer } from '../../support/service/customer.ts'

let site: Console
let customer: Customer
let browsers: Browser[]
beforeAll(async () => {
  site = await startConsole()
  customer = await site.customer()
  browsers = [site.browser(), await site.developer(), await site.operator()]
})
afterAll(() => site.close())

describe('addresses', () => {
  it.each([
    '/a*b',
    '/:a((a+)+$)',
    '/*',
    '/:id',
    '//',
    '/%',
    '/%00',
    '/%2e%2e/x',
    '/a;b',
    '/app/..%2f',
    '/v1/asr/sessions/*',
  ])('%s is not there, for any method', async path => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PATCH']) {
      const { status } = await site.call(path, { method, headers: { accept: 'text/html' } })
      expect([200, 400, 401, 404, 405]).toContain(status)
    }
  })

  it('made at random get an answer below 500', async () => {
    const part = fc.oneof(
      fc.constantFrom(
        'v1',
        'asr',
        'sessions',
        'console',
        'api',
        'docs',
        'assets',
        '*',
        ':a',
        '(a+)+$',
        '..',
        '%00',
      ),
      fc.string({ maxLength: 12 }).map(encodeURIComponent),
    )
    const path = fc.array(part, { maxLength: 6 }).map(parts => `/${parts.join('/')}`)
    const method = fc.constantFrom('GET', 'POST', 'DELETE', 'PATCH', 'PUT', 'OPTIONS', 'HEAD')
    await fc.assert(
      fc.asyncProperty(path, method, async (address, verb) => {
        const { status } = await site.call(address, { method: verb, headers: bearer(customer) })
        expect(status).toBeLessThan(500)
      }),
      { numRuns: 300 },
    )
  })
})

describe('every route', () => {
  const text = fc.oneof(
    fc.constantFrom(
      '',
      '\u0000',
      'a\u0000b',
      '\u001b[31m',
      '\ud800',
      '-271821-04-20T00:00:00.000Z~',
      '9'.repeat(30),
      "' OR 1=1 --",
      '{}',
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.uuid(),
    fc.emailAddress(),
  )
  const value: fc.Arbitrary<unknown> = fc.oneof(
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text),
  )
  const FIELDS = [
    'name',
    'email',
    'organisation',
    'use',
    'password',
    'token',
    'current_password',
    'new_password',
    'models',
    'expires_in_days',
    'model',
    'max_audio_seconds',
    'credit_seconds',
    'note',
    'seconds',
    'active',
    'concurrency_limit',
    '__proto__',
    'constructor',
  ]
  const body = fc.oneof(value, fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 8 }))
  const query = fc.dictionary(fc.constantFrom('q', 'before', 'status', 'x'), text)

  it('takes any parameter, query and body without failing', async () => {
    // Deleting the account would make the rest of the run pointless.
    const routes = site.routes.filter(route => !/me\/delete|sign-out|transcript/.test(route))
    const served = ['POST /v1/asr/sessions', 'GET /v1/usage', 'DELETE /v1/asr/sessions/:id', ...routes]
    for (const route of new Set(served)) {
      const [method = '', pattern = ''] = route.split(' ')
      await fc.assert(
        fc.asyncProperty(text, query, body, fc.nat(2), async (parameter, search, content, who) => {
          const path = pattern.replace(/:\w+|\*/, () => encodeURIComponent(Buffer.from(parameter).toString()))
          const { status, text: words } = await site.call(`${path}?${new URLSearchParams(search)}`, {
            method,
            headers: {
              ...(pattern.startsWith(API) ? { origin: PUBLIC_URL } : bearer(customer)),
              cookie: [...browsers[who]!.cookies].map(pair => pair.join('=')).join('; '),
              ...(hasBody(method) && { 'content-type': 'application/json' }),
            },
            ...(hasBody(method) && { body: JSON.stringify(content) ?? '' }),
          })
          expect(isOurFault(status, words), `${status} ${words}`).toBe(false)
        }),
        { numRuns: 12 },
      )
    }
  }, 240_000)

  it('takes any cookie and any header', async () => {
    for (const cookie of [
      '__Host-sauti.session_token=%E0%A4%A',
      '__Host-sauti_device=%00.x',
      '=;=;',
      'a'.repeat(4000),
    ])
      expect((await site.call(`${API}/me`, { headers: { cookie } })).status).toBe(401)
  })
})

function hasBody(method: string): boolean {
  return method === 'POST' || method === 'PATCH'
}

/** Too many at once is a refusal, not a fault. */
function isOurFault(status: number, words: string): boolean {
  return status >= 500 && !/sign_in_busy|capacity_exceeded/.test(words)
}
