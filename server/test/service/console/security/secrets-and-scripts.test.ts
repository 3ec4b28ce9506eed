import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openConsole, PASSWORD } from '../../../support/console/console.ts'

const site = await openConsole()
const operator = await site.operator()
const developer = await site.developer()
const victim = await site.developer('victim@people.test')
const { json } = await operator.call('GET', `/operator/accounts/${victim.accountId}`)
const victimUser = json.users[0].id

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
    const cookie = developer.cookies.get('__Host-sauti.session_token')!
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
