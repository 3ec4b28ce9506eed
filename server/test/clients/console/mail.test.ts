import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMailer } from '#server/http/console/mail.js'
import { type Console, choosePassword, startConsole } from '../../support/console/console.ts'
import { MailServer } from '../../support/console/mail-server.ts'

const server = new MailServer()
let site: Console
beforeAll(async () => {
  site = await startConsole({ mailer: createMailer(await server.start(), 'Sauti <sauti@mail.test>') })
})
afterAll(async () => {
  await site.close()
  await server.stop()
})

const form = { name: 'Atieno', organisation: '', use: 'Captions' }
const linkIn = (mail: string) => /https:\S+/.exec(mail)![0]

async function approve(email: string) {
  const operator = await site.operator()
  await site.browser().call('POST', '/waitlist', { ...form, email })
  const { json } = await operator.call('GET', '/operator/waitlist')
  const { id } = json.data.find((one: { email: string }) => one.email === email)
  return operator.call('POST', `/operator/waitlist/${id}/approve`, { credit_seconds: 60 })
}

describe('with a mail server', () => {
  it('sends the link of an approval, and shows it to nobody', async () => {
    const { json, text } = await approve('atieno@mail.test')
    expect(json).toMatchObject({ emailed: true, link: null })
    const mail = await server.take('To: atieno@mail.test')
    expect(server.secured.every(Boolean)).toBe(true)
    expect(mail).toContain('From: Sauti <sauti@mail.test>')
    expect(text).not.toContain(new URL(linkIn(mail)).hash.slice(1))
    expect((await choosePassword(site.browser(), linkIn(mail))).status).toBe(200)
  })

  it('shows the link to the operator when the mail is refused', async () => {
    server.refuses = true
    const { json } = await approve('refused@mail.test')
    server.refuses = false
    expect(json.emailed).toBe(false)
    expect(json.link).toContain('/welcome#')
    expect(site.logLines.join('')).toContain('mail could not be sent')
    expect(site.logLines.join('')).not.toContain(new URL(json.link).hash.slice(1))
  })

  it('sends a link to a person who forgot the password, and nothing to unknown addresses', async () => {
    const visitor = site.browser()
    const answers = [
      await visitor.call('POST', '/forgot-password', { email: 'stranger@mail.test' }),
      await visitor.call('POST', '/forgot-password', { email: 'Atieno@mail.test' }),
    ]
    expect(answers.map(({ text }) => text)).toEqual(['{"mail":true}', '{"mail":true}'])
    await server.take('To: atieno@mail.test', 'reset the password')
    expect(server.mails.filter(mail => mail.includes('stranger@mail.test'))).toEqual([])
  })

  it('writes to a member who joins again, instead of telling the page', async () => {
    const { json } = await site.browser().call('POST', '/waitlist', { ...form, email: 'atieno@mail.test' })
    expect(json).toEqual({ status: 'waiting' })
    await server.take('To: atieno@mail.test', 'already have a Sauti account')
  })

  it('writes to a known person whom an owner invites, instead of telling the owner', async () => {
    const owner = site.browser()
    await approve('owner@mail.test')
    await choosePassword(owner, linkIn(await server.take('To: owner@mail.test')))
    const person = { name: 'A', email: 'atieno@mail.test', role: 'member' }
    const { json } = await owner.call('POST', '/team', person)
    expect(json).toMatchObject({ emailed: true, link: null })
    const mail = await server.take('To: atieno@mail.test', 'invited you')
    expect(linkIn(mail)).toMatch(/\/signin$/)
  })

  it('tells every operator about a new request, once', async () => {
    await site.operator('first-chief@mail.test')
    const email = 'new@mail.test'
    await site.browser().call('POST', '/waitlist', { ...form, email, name: 'Njeri' })
    const mail = await server.take('To: first-chief@mail.test', 'Njeri has asked to join')
    expect(mail).toContain('Captions')
    expect(linkIn(mail)).toMatch(/\/operator$/)
  })

  it('reports credit that was asked for, granted, low and used up', async () => {
    const operator = await site.operator('second-chief@mail.test')
    const { json } = await operator.call('POST', '/operator/accounts', {
      name: 'Clinic',
      person: 'Otieno',
      email: 'otieno@mail.test',
      credit_seconds: 600,
    })
    expect(json.emailed).toBe(true)
    const developer = site.browser()
    await choosePassword(developer, linkIn(await server.take('To: otieno@mail.test', 'Set your password')))

    await spend(json.account_id, 570)
    await server.take('To: otieno@mail.test', 'credit is running low')
    await spend(json.account_id, 30)
    await server.take('To: otieno@mail.test', 'has no audio credit left')

    await developer.call('POST', '/credit-requests', { note: 'An hour, please' })
    await server.take('To: second-chief@mail.test', 'An hour, please')
    const { json: requests } = await operator.call('GET', '/operator/credit-requests')
    await operator.call('POST', `/operator/credit-requests/${requests.data[0].id}/grant`, { seconds: 3600 })
    await server.take('To: otieno@mail.test', '60 minutes of audio credit')
    // Each notice once, however often the service looks.
    await new Promise(resolve => setTimeout(resolve, 2500))
    expect(server.mails.filter(mail => mail.includes('running low') || mail.includes('left'))).toEqual([])
  }, 60_000)
})

/** Uses credit up as a session does: reserved, then billed. */
async function spend(accountId: string, seconds: number): Promise<void> {
  const [id, ms] = [randomUUID(), seconds * 1000]
  await site.db.transaction(async tx => {
    await tx.query(
      `INSERT INTO sessions (id, account_id, model, status, reserved_ms, audio_ms, billable_ms, created_at, expires_at,
                             activated_at, completed_at, ending, node_id)
       VALUES ($1, $2, 'svc-asr-kikuyu-v1', 'completed', $3, $3, $3, now(), now(), now(), now(), 'client_closed', $1)`,
      [id, accountId, ms],
    )
    await tx.query(
      `INSERT INTO ledger_entries (account_id, session_id, kind, available_ms, reserved_ms, consumed_ms, created_at)
       VALUES ($1, $2, 'reserve', -$3::bigint, $3, 0, now()), ($1, $2, 'settle', 0, -$3::bigint, $3, now())`,
      [accountId, id, ms],
    )
  })
}
