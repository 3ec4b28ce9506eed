import { describe, expect, it } from 'vitest'
import { PASSWORD, startConsole } from '../../../support/console/console.ts'

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

it('stops somebody who guesses the password at an open browser, on every route', async () => {
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
