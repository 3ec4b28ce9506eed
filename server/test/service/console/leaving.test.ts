import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#server/ledger/verify.js'
import { findSessionsToClose } from '#server/sessions/watch.js'
import {
  type Browser,
  type Console,
  choosePassword,
  PASSWORD,
  startConsole,
} from '../../support/console/console.ts'
import { KIKUYU } from '../../support/service/control-plane.ts'

let site: Console
let operator: Browser
beforeAll(async () => {
  site = await startConsole()
  operator = await site.operator('chief@operators.test')
})
afterAll(() => site.close())

const leave = (browser: Browser, password = PASSWORD) => browser.call('POST', '/me/delete', { password })

/** Everything that the database holds, as text. */
async function readDatabase(): Promise<string> {
  const tables = await site.db.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  const rows = await Promise.all(tables.map(({ name }) => site.db.query(`SELECT t::text FROM ${name} t`)))
  return JSON.stringify(rows)
}

/** Unique words in every field that is stored about a person. */
type Words = Record<'name' | 'email' | 'organisation' | 'use', string>

async function askToJoin(words: Words): Promise<Browser> {
  const browser = site.browser()
  await browser.call('POST', '/waitlist', words)
  return browser
}

/** An operator's answer to the request of this address. */
async function decide(who: Browser, email: string, decision: 'approve' | 'decline', body?: object) {
  const { json: waiting } = await who.call('GET', '/operator/waitlist')
  const { id } = waiting.data.find((one: { email: string }) => one.email === email)
  return who.call('POST', `/operator/waitlist/${id}/${decision}`, body)
}

async function join(words: Words): Promise<Browser> {
  const browser = await askToJoin(words)
  const { json } = await decide(operator, words.email, 'approve', { credit_seconds: 60 })
  await choosePassword(browser, json.link)
  return browser
}

describe('somebody who leaves', () => {
  const words = {
    name: 'Wanjirũ Kamau',
    email: 'wanjiru@people.test',
    organisation: 'Mũthaiga Clinic',
    use: 'notes in ward seven',
  }

  it('leaves nothing that says who it was; the ledger and the fact stay', async () => {
    const person = await join(words)
    const elsewhere = site.browser()
    await elsewhere.call('POST', '/sign-in', { email: words.email, password: PASSWORD })
    const { json: key } = await person.call('POST', '/keys', { name: 'Wanjirũ Kamau at home' })
    const accountId = (await person.call('GET', '/me')).json.account.id
    const { json: account } = await operator.call('GET', `/operator/accounts/${accountId}`)
    await operator.call('POST', `/operator/users/${account.users[0].id}/password-link`)
    const authorization = `Bearer ${key.api_key}`
    const body = JSON.stringify({ model: KIKUYU, max_audio_seconds: 10 })
    const session = await site.call('/v1/asr/sessions', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    })
    await site.db.query("UPDATE sessions SET status = 'active', activated_at = $2 WHERE id = $1", [
      session.json.id,
      site.now,
    ])
    const entriesBefore = await site.db.query('SELECT * FROM ledger_entries ORDER BY id')

    expect((await leave(person, 'wrong')).json.error.code).toBe('wrong_password')
    expect((await leave(person)).status).toBe(204)

    const written = await readDatabase()
    for (const word of Object.values(words)) expect(written).not.toContain(word)
    expect(await site.db.query('SELECT * FROM ledger_entries ORDER BY id')).toEqual(entriesBefore)
    expect(await verifyLedger(site.db)).toMatchObject({ discrepancies: [] })
    for (const browser of [person, elsewhere]) expect((await browser.call('GET', '/me')).status).toBe(401)
    expect([...person.cookies.keys()]).toEqual([])
    const refused = await site.call('/v1/usage', { headers: { authorization } })
    expect(refused.json.error.code).toBe('revoked_api_key')
    expect(await findSessionsToClose(site.db, [session.json.id])).toMatchObject([
      { sessionId: session.json.id },
    ])
    const { json: audit } = await operator.call('GET', '/operator/audit')
    expect(audit.data[0]).toMatchObject({
      action: 'person.delete',
      operator: 'a deleted person',
      target: accountId,
    })
    const made = audit.data.filter((entry: { target: string }) => entry.target === 'a deleted person')
    expect(made.map((entry: { action: string }) => entry.action)).toEqual([
      'user.password_link',
      'sign_in.start',
      'sign_in.start',
      'password.set',
      'application.approve',
      'application.submit',
    ])
  })

  it('can join again, as a new person', async () => {
    const person = await join(words)
    expect((await person.call('GET', '/usage')).json).toMatchObject({ available_ms: 60_000, consumed_ms: 0 })
  })

  it('leaves the account to those who share it', async () => {
    const [first, second] = [await site.developer(), await site.developer()]
    await site.db.query('UPDATE users SET account_id = $1 WHERE email = $2', [first.accountId, second.email])
    const { json: key } = await first.call('POST', '/keys', { name: 'shared' })
    const usage = () =>
      site.call('/v1/usage', { headers: { authorization: `Bearer ${key.api_key}` } }).then(one => one.status)
    expect((await leave(first)).status).toBe(204)
    expect(await usage()).toBe(200)
    expect((await second.call('GET', '/me')).json.account).toMatchObject({ active: true })
    expect((await leave(second)).status).toBe(204)
    expect(await usage()).toBe(401)
  })
})

describe('somebody who was never let in', () => {
  const words = {
    name: 'Akinyi Odero',
    email: 'akinyi@people.test',
    organisation: 'Kisumu Radio',
    use: 'captions of the morning show',
  }
  const withdraw = (browser: Browser) => browser.call('DELETE', '/application')

  it.each(['waits', 'was declined'])(
    'takes the request back while it %s, and nothing is left',
    async state => {
      const browser = await askToJoin(words)
      if (state === 'was declined') await decide(operator, words.email, 'decline')
      expect(await readDatabase()).toContain(words.email)
      expect((await withdraw(browser)).status).toBe(204)
      expect(await readDatabase()).not.toContain('akinyi@people.test')
      expect(await readDatabase()).not.toContain('Kisumu Radio')
      expect((await browser.call('GET', '/application')).json).toEqual({ status: 'none' })
    },
  )

  it('cannot withdraw what is not theirs', async () => {
    const browser = await askToJoin(words)
    expect((await withdraw(site.browser())).status).toBe(204)
    expect((await browser.call('GET', '/application')).json).toEqual({ status: 'waiting' })
    expect(await readDatabase()).toContain(words.email)
  })

  it('cannot remove a member by an old request', async () => {
    const member = await join({ ...words, email: 'member@people.test' })
    const audit = async () => JSON.stringify((await operator.call('GET', '/operator/audit')).json)
    expect((await withdraw(member)).status).toBe(204)
    expect((await member.call('GET', '/me')).status).toBe(200)
    expect(await audit()).toContain('member@people.test')
  })
})

describe('an operator who leaves', () => {
  it('must not be the last one, also when two go at the same moment', async () => {
    const own = await startConsole()
    try {
      const pair = [await own.operator(), await own.operator()]
      const answers = await Promise.all(pair.map(one => leave(one)))
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
      const stayed = pair[answers.findIndex(({ status }) => status === 409)]!
      expect((await leave(stayed)).json.error.code).toBe('last_operator')
      expect((await stayed.call('GET', '/operator/waitlist')).status).toBe(200)
    } finally {
      await own.close()
    }
  })

  it('keeps what was decided, without a name', async () => {
    const leaver = await site.operator('leaver@operators.test')
    await askToJoin({ name: 'N', organisation: '', use: 'u', email: 'declined@people.test' })
    await decide(leaver, 'declined@people.test', 'decline')
    expect((await leave(leaver)).status).toBe(204)
    const { json: declined } = await operator.call('GET', '/operator/waitlist?status=declined')
    expect(declined.data[0]).toMatchObject({ email: 'declined@people.test', decided_by: null })
    expect(await readDatabase()).not.toContain('leaver@operators.test')
  })
})
