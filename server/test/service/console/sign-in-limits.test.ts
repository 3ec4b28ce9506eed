// What a stranger without an account can do to those who have one: nothing.

import { afterEach, describe, expect, it } from 'vitest'
import { type Browser, type Console, PASSWORD, startConsole } from '../../support/console/console.ts'

let site: Console
afterEach(() => site.close())

const FAILURES = 1
const start = async () => {
  site = await startConsole({ settings: { signInFailures: FAILURES }, trustedProxies: ['127.0.0.1'] })
}

/** An attempt from an address of the test's choice. */
function attempt(email: string, from: string, password = 'a wrong guess', browser: Browser = site.browser()) {
  return browser.call('POST', '/sign-in', { email, password }, { 'x-forwarded-for': from })
}

describe('guessing passwords', () => {
  it('does not lock a person out: others are refused where they are, and a known browser always gets in', async () => {
    await start()
    const operator = await site.operator('chief@operators.test')
    await operator.call('POST', '/sign-out')
    for (let turn = 0; turn < FAILURES; turn++) await attempt('chief@operators.test', '198.51.100.1')
    expect((await attempt('chief@operators.test', '198.51.100.1', PASSWORD)).status).toBe(429)
    // From elsewhere the person gets in with any browser.
    expect((await attempt('chief@operators.test', '203.0.113.5', PASSWORD)).status).toBe(200)
    // Many addresses together reach the cap of the name; then only a known browser gets in.
    for (let host = 2; host < 14; host++) await attempt('chief@operators.test', `198.51.100.${host}`)
    expect((await attempt('chief@operators.test', '203.0.113.6', PASSWORD)).status).toBe(429)
    expect((await attempt('chief@operators.test', '203.0.113.6', PASSWORD, operator)).status).toBe(200)
  })

  it('is limited in a known browser as well, and a cookie of somebody else’s is not one', async () => {
    await start()
    const one = await site.operator('one@operators.test')
    await site.operator('two@operators.test')
    for (let turn = 0; turn < FAILURES; turn++)
      expect((await attempt('one@operators.test', '203.0.113.9', 'wrong', one)).status).toBe(401)
    expect((await attempt('one@operators.test', '203.0.113.9', PASSWORD, one)).status).toBe(429)
    for (let turn = 0; turn < FAILURES; turn++)
      await attempt('two@operators.test', '203.0.113.9', 'wrong', one)
    expect((await attempt('two@operators.test', '203.0.113.9', PASSWORD, one)).status).toBe(429)
  })
})

describe('many sign-ins at the same moment', () => {
  it('are checked a few at a time; a few wait, and the rest are asked at once to try again', async () => {
    site = await startConsole({ settings: { signInFailures: 1000 } })
    await site.operator('chief@operators.test')
    const startedMs = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const { status, json, headers } = await attempt('chief@operators.test', '127.0.0.1')
        return {
          status,
          code: json.error.code,
          retry: headers['retry-after'],
          ms: performance.now() - startedMs,
        }
      }),
    )
    const busy = answers.filter(answer => answer.status === 503)
    expect(busy.length).toBeGreaterThanOrEqual(40)
    for (const answer of busy) expect(answer).toMatchObject({ code: 'sign_in_busy', retry: '5' })
    const checked = answers.filter(answer => answer.status === 401)
    expect(checked.length + busy.length).toBe(60)
    expect(Math.max(...busy.map(({ ms }) => ms))).toBeLessThan(Math.max(...checked.map(({ ms }) => ms)))
  })
})
