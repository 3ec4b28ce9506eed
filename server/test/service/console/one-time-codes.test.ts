// Signing in with a one-time code as the second step.

import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resetOneTimeCodes } from '#server/accounts/users.js'
import { createAuth } from '#server/http/console/auth/auth.js'
import { renewEncryption } from '#server/http/console/auth/code-plugin.js'
import { deriveCookieSecrets } from '#server/http/console/auth/cookie-secrets.js'
import { type Browser, type Console, PASSWORD, startConsole } from '../../support/console/console.ts'
import { PUBLIC_URL } from '../../support/service/control-plane.ts'

let site: Console
beforeAll(async () => {
  site = await startConsole()
})
afterAll(() => site.close())

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** As an authenticator app makes it (RFC 6238). */
function codeOf(uri: string, nowMs = Date.now()): string {
  const text = new URL(uri).searchParams.get('secret')!.replaceAll('=', '')
  const bits = [...text].map(letter => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)))
  const hash = createHmac('sha1', key).update(counter).digest()
  const at = hash.at(-1)! & 0xf
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

async function withCodes(email: string): Promise<{ browser: Browser; uri: string; backupCodes: string[] }> {
  const browser = await site.operator(email)
  const { json } = await browser.call('POST', '/one-time-codes/begin', { password: PASSWORD })
  expect((await browser.call('POST', '/one-time-codes/finish', { code: codeOf(json.uri) })).status).toBe(204)
  return { browser, uri: json.uri, backupCodes: json.backup_codes }
}

async function givePassword(email: string): Promise<Browser> {
  const browser = site.browser()
  const answer = await browser.call('POST', '/sign-in', { email, password: PASSWORD })
  expect(answer).toMatchObject({ status: 401, json: { error: { code: 'code_required' } } })
  expect((await browser.call('GET', '/me')).status).toBe(401)
  return browser
}

const giveCode = (browser: Browser, code: string) => browser.call('POST', '/sign-in/code', { code })

describe('one-time codes', () => {
  it('are asked for after the password once they are on, and not before', async () => {
    const browser = await site.operator('half@operators.test')
    expect((await browser.call('POST', '/one-time-codes/begin', { password: 'wrong' })).json.error.code).toBe(
      'wrong_password',
    )
    const { json } = await browser.call('POST', '/one-time-codes/begin', { password: PASSWORD })
    expect(json.uri).toMatch(/^otpauth:\/\/totp\/Sauti/)
    const wrong = await browser.call('POST', '/one-time-codes/finish', { code: '000000' })
    expect(wrong.json.error.code).toBe('wrong_code')
    // Begun and not finished: the password is still enough.
    const other = site.browser()
    expect(
      (await other.call('POST', '/sign-in', { email: 'half@operators.test', password: PASSWORD })).status,
    ).toBe(200)
  })

  it('sign in with a code of the app, or with a backup code that works once', async () => {
    const { browser, uri, backupCodes } = await withCodes('codes@operators.test')
    expect((await browser.call('GET', '/me')).json).toMatchObject({ one_time_codes: true })
    const first = await givePassword('codes@operators.test')
    expect((await giveCode(first, '000000')).json.error.code).toBe('wrong_code')
    const [refused] = await site.db.query(
      'SELECT action, details FROM audit_entries ORDER BY id DESC LIMIT 1',
    )
    expect(refused).toEqual({ action: 'sign_in.refuse', details: { with: 'code' } })
    expect((await giveCode(first, codeOf(uri))).status).toBe(200)
    expect((await first.call('GET', '/me')).status).toBe(200)

    const second = await givePassword('codes@operators.test')
    expect((await giveCode(second, backupCodes[0]!)).status).toBe(200)
    const third = await givePassword('codes@operators.test')
    expect((await giveCode(third, backupCodes[0]!)).json.error.code).toBe('wrong_code')
    expect((await giveCode(site.browser(), codeOf(uri))).json.error.code).toBe('wrong_code')
  })

  it('end after a few wrong guesses: the password must be given again', async () => {
    const { uri } = await withCodes('guessed@operators.test')
    const guesser = await givePassword('guessed@operators.test')
    for (let turn = 0; turn < 6; turn++) await giveCode(guesser, '000001')
    expect((await giveCode(guesser, codeOf(uri))).json.error.code).toBe('wrong_code')
  })

  it('are switched off with the password, or by an operator on the machine for somebody who lost the app', async () => {
    const { browser } = await withCodes('off@operators.test')
    expect((await browser.call('POST', '/one-time-codes/end', { password: PASSWORD })).status).toBe(204)
    const signIn = (email: string) => site.browser().call('POST', '/sign-in', { email, password: PASSWORD })
    expect((await signIn('off@operators.test')).status).toBe(200)
    await withCodes('lost@operators.test')
    const [user] = await site.db.query<{ id: string }>(
      "SELECT id FROM users WHERE email = 'lost@operators.test'",
    )
    await resetOneTimeCodes(site.db, user!.id)
    expect((await signIn('lost@operators.test')).status).toBe(200)
  })

  it('survive a new secret', async () => {
    const { uri } = await withCodes('rotated@operators.test')
    const secrets = deriveCookieSecrets(['a new secret', 'only the test knows'])
    await renewEncryption({ db: site.db, cookieSecrets: secrets })
    const auth = createAuth({
      db: site.db,
      cookieSecrets: deriveCookieSecrets(['a new secret']),
      newId: randomUUID,
      publicUrl: () => PUBLIC_URL,
    })
    const waiting = (await auth.signIn('rotated@operators.test', PASSWORD))!
    const cookie = waiting.cookies.map(line => line.split(';')[0]).join('; ')
    expect(await auth.signInWithCode(cookie, codeOf(uri))).toBeDefined()
  })
})
