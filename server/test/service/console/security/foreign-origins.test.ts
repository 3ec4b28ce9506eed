import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { API, openConsole, PASSWORD } from '../../../support/console/console.ts'
import { PUBLIC_URL } from '../../../support/service/control-plane.ts'

const site = await openConsole()
const developer = await site.developer()

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
