import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createKey } from '#server/accounts/keys.js'
import { compileWhenNeeded } from '#server/http/validation.js'
import { API, type Browser, openConsole, PASSWORD } from '../../../support/console/console.ts'
import { ROUTES, type Role, type Victim } from './table.ts'

const site = await openConsole()
const operator = await site.operator()
const developer = await site.developer()
const { accountId } = await site.developer('victim@people.test')
const keyId = randomUUID()
await createKey(site.db, {
  id: keyId,
  accountId,
  name: '',
  models: null,
  expiresAt: null,
  now: site.now,
})
const { json } = await operator.call('GET', `/operator/accounts/${accountId}`)
const victim: Victim = { accountId, keyId, userId: json.users[0].id }

describe('what each role may do', () => {
  it.each(ROUTES)('%s %s', async (method, pathOf, answers, body) => {
    const path = () => pathOf(victim)
    // Password hashing is slow on purpose, so sign-ins are shared; only signing out needs its own.
    const leaves = path() === '/sign-out' || path() === '/sign-ins/end-all'
    const member = leaves ? await signIn(developer.email) : developer
    const browsers = { visitor: site.browser(), developer: member, operator }
    const given: Partial<Record<Role, number>> = {}
    for (const role of ['visitor', 'developer', 'operator'] as const) {
      if (leaves && role === 'operator') given[role] = 204
      else given[role] = (await browsers[role].call(method, path(), body)).status
    }
    expect(given).toEqual(answers)
  })

  it('has no route that the table above does not know', () => {
    const known = new Set(
      ROUTES.map(([method, path]) => `${method} ${shape(path(victim).replace(/\?.*/, ''))}`),
    )
    const served = site.routes.filter(route => route.includes(API)).map(route => route.replace(API, ''))
    const missing = served.filter(route => !known.has(shape(route)) && !route.startsWith('HEAD'))
    expect(missing).toEqual([])
  })

  it('has checks that can be compiled, which happens only when a request needs them', () => {
    const compile = compileWhenNeeded()({}, { customOptions: {} })
    expect(site.requestSchemas.length).toBeGreaterThan(40)
    for (const { route, part, schema } of site.requestSchemas) {
      const [method, url] = route.split(' ')
      const check = compile({ schema, method: method!, url: url!, httpPart: part })
      expect(() => check({}), `${route}, ${part}`).not.toThrow()
    }
    const broken = compile({ schema: { type: 'strin' }, method: 'GET', url: '/', httpPart: 'body' })
    expect(() => broken({})).toThrow('schema is invalid')
  })

  it('does not show or touch what belongs to others', async () => {
    const other = await signIn(developer.email)
    const answers = await Promise.all(['/me', '/usage', '/keys'].map(path => other.call('GET', path)))
    for (const { text } of answers) {
      expect(text).not.toContain(victim.accountId)
      expect(text).not.toContain(victim.keyId)
    }
    const [key] = await site.db.query('SELECT revoked_at FROM api_keys WHERE id = $1', [victim.keyId])
    expect(key).toEqual({ revoked_at: null })
  })
})

async function signIn(email: string): Promise<Browser> {
  const browser = site.browser()
  await browser.call('POST', '/sign-in', { email, password: PASSWORD })
  return browser
}

function shape(route: string): string {
  return route.replaceAll(/\/[0-9a-f]{8}-[0-9a-f-]{27}|\/:id|\/none/g, '/:')
}
