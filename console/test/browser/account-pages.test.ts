import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callFrom, choosePassword, PASSWORD, type Site, startSite } from '../support/site.ts'

let site: Site
let operator: Page
let developer: Page
beforeAll(async () => {
  site = await startSite()
  operator = (await site.browser()).page
  developer = (await site.browser()).page
  await choosePassword(operator, await site.operatorLink('chief@example.org'))
})
afterAll(() => site.stop())

it('an operator without an account creates one with a button', async () => {
  for (const path of ['/app', '/app/keys', '/app/playground', '/app/sessions']) {
    await operator.goto(site.baseUrl + path)
    await operator.getByRole('button', { name: 'Create an account for me' }).waitFor()
  }
  await operator.getByRole('button', { name: 'Create an account for me' }).click()
  await operator.getByText('No sessions yet').waitFor()
})

it('an operator creates an account; its owner invites a member; both share it', async () => {
  await operator.goto(`${site.baseUrl}/operator/accounts`)
  await operator.getByRole('button', { name: 'Create account' }).click()
  const dialog = operator.getByRole('dialog')
  await dialog.getByLabel('Account name').fill('Radio Ramogi')
  await dialog.getByLabel('Contact name').fill('Atieno')
  await dialog.getByLabel('Email').fill('atieno@example.org')
  await dialog.getByLabel('Starting credit').fill('20 s')
  await dialog.getByRole('button', { name: 'Create account' }).click()
  const link = (await operator.locator('dialog .secret code').textContent())!
  await operator.getByRole('button', { name: 'I have saved the link' }).click()
  await choosePassword(developer, link)

  // A link that was used says so before it asks for a password.
  await operator.goto('about:blank')
  const { page: late } = await site.browser()
  await late.goto(link)
  await late.getByRole('heading', { name: 'This link does not work' }).waitFor()

  await developer.goto(`${site.baseUrl}/app/settings`)
  await developer.getByRole('button', { name: 'Invite' }).click()
  await developer.getByRole('dialog').getByLabel('Name').fill('Otieno')
  await developer.getByRole('dialog').getByLabel('Email').fill('otieno@example.org')
  await developer.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
  const invitation = (await developer.locator('dialog .secret code').textContent())!
  await developer.getByRole('button', { name: 'I have saved the link' }).click()
  await developer.getByText('otieno@example.org · Member · Invited').waitFor()
  await choosePassword(late, invitation)
  await late.goto(`${site.baseUrl}/app/settings`)
  await late.getByText('Radio Ramogi').waitFor()
  expect(await late.getByRole('button', { name: 'Invite' }).count()).toBe(0)
})

it('used-up credit is shown, asked for, counted on the badge and granted', async () => {
  const reserve = { model: 'svc-asr-kikuyu-v1', max_audio_seconds: 20 }
  const session = await callFrom(developer, 'POST', '/playground/sessions', reserve)
  await developer.goto(`${site.baseUrl}/app/sessions`)
  await developer.getByRole('cell', { name: 'Playground' }).waitFor()
  await developer.getByLabel('Status').selectOption('failed')
  await developer.getByText('No sessions match these filters').waitFor()
  await developer.reload()
  await developer.getByText('No sessions match these filters').waitFor()
  expect(await developer.getByLabel('Status').inputValue()).toBe('failed')
  await developer.getByLabel('Status').selectOption('reserved')
  const [csv] = await Promise.all([
    developer.waitForEvent('download'),
    developer.getByRole('link', { name: 'Download CSV' }).click(),
  ])
  expect(csv.suggestedFilename()).toBe('sauti-sessions.csv')
  await site.database.query(`SELECT end_session($1, 'reserved', 'expired', 'never_opened', 0, 0, now())`, [
    session.id,
  ])
  await site.database.query('UPDATE accounts SET concurrency_limit = 9')
  await spendAll()

  await developer.goto(`${site.baseUrl}/app`)
  await developer.getByText('You have no credit left.').waitFor()
  await developer.getByRole('button', { name: 'Ask for more' }).click()
  await developer.getByLabel('How much do you need').fill('An hour for the morning show')
  await developer.getByRole('button', { name: 'Send request' }).click()
  await developer.getByText('You have asked for more credit.').waitFor()

  await operator.goto(`${site.baseUrl}/operator`)
  await operator.locator('.count', { hasText: '1' }).first().waitFor()
  await operator.getByText('An hour for the morning show').waitFor()
  await operator.getByRole('button', { name: 'Grant credit' }).click()
  await operator.getByRole('dialog').getByRole('button', { name: 'Grant credit' }).click()
  await operator.getByText('An hour for the morning show').waitFor({ state: 'detached' })
  await developer.reload()
  await developer.locator('.stat', { hasText: 'Available' }).getByText('1 h').waitFor()

  await operator.goto(`${site.baseUrl}/operator/audit`)
  await operator.getByRole('link', { name: 'Radio Ramogi' }).first().waitFor()
})

it('keeps the focus after a wrong password', async () => {
  const { page } = await site.browser()
  await page.goto(`${site.baseUrl}/signin`)
  await page.getByLabel('Email').fill('atieno@example.org')
  await page.getByLabel('Password').fill(`${PASSWORD} wrong`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Sign in')
  await page.goto(`${site.baseUrl}/forgot`)
  await page.getByText('This server does not send email').waitFor()
  expect(await page.getByLabel('Email').count()).toBe(0)
})

it('is in Swahili for readers who choose it', async () => {
  const { page } = await site.browser()
  await page.goto(`${site.baseUrl}/sw`)
  await page.getByRole('link', { name: 'Jiunge na orodha ya kusubiri' }).click()
  await page.getByLabel('Jina lako').waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('sw')
  await page.getByLabel('Jina lako').fill('Wanjikũ')
  await page.getByLabel('Barua pepe').fill('wanjiku@example.org')
  await page.getByLabel('Utaitumia kufanya nini?').fill('Manukuu ya redio')
  await page.getByRole('button', { name: 'Jiunge na orodha ya kusubiri' }).click()
  await page.getByText('Uko kwenye orodha ya kusubiri.').waitFor()
  await page.goto(`${site.baseUrl}/signin`)
  await page.getByLabel('Barua pepe').fill('wanjiku@example.org')
  await page.getByLabel('Nenosiri').fill(PASSWORD)
  await page.getByRole('button', { name: 'Ingia' }).click()
  await page.getByText('Barua pepe au nenosiri si sahihi.').waitFor()
  await page.goto(`${site.baseUrl}/waiting`)
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByText('You are on the waitlist.').waitFor()
})

it('stays in Swahili on the way to the sign-in page and back to the front page', async () => {
  const { page } = await site.browser()
  await page.goto(`${site.baseUrl}/sw`)
  await page.getByRole('link', { name: 'Ingia' }).click()
  await page.getByLabel('Nenosiri').waitFor()
  await page.getByRole('link', { name: 'Sauti' }).first().click()
  await page.getByRole('heading', { name: 'Maneno yako yanaandikwa ukiwa bado unaongea' }).waitFor()
  await page.goto(`${site.baseUrl}/hakuna`)
  await page.getByRole('link', { name: 'Ukurasa wa kwanza' }).click()
  await page.getByRole('heading', { name: 'Maneno yako yanaandikwa ukiwa bado unaongea' }).waitFor()
})

it('a page that is not translated says that it is English', async () => {
  await operator.goto(`${site.baseUrl}/app/playground?language=sw`)
  await operator.getByRole('button', { name: 'Anza kuongea' }).waitFor()
  expect(await operator.getByLabel('Kikomo cha kurekodi').textContent()).toContain('dakika 1')
  expect(await operator.locator('main').getAttribute('lang')).toBe(null)
  await operator.getByRole('link', { name: 'Muhtasari' }).click()
  await operator.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await operator.locator('main').getAttribute('lang')).toBe('en')
})

/** Takes all credit of the account as sessions of the past would. */
async function spendAll(): Promise<void> {
  const { account } = await callFrom(developer, 'GET', '/me')
  await site.database.query(
    `WITH spent AS (
       INSERT INTO sessions (id, account_id, model, status, reserved_ms, audio_ms, billable_ms, created_at, expires_at,
                             activated_at, completed_at, ending, node_id)
       VALUES (gen_random_uuid(), $1, 'svc-asr-kikuyu-v1', 'completed', 20000, 20000, 20000, now(), now(), now(), now(),
               'client_closed', gen_random_uuid()) RETURNING id
     )
     INSERT INTO ledger_entries (account_id, session_id, kind, available_ms, reserved_ms, consumed_ms, created_at)
     SELECT $1, id, 'reserve', -20000, 20000, 0, now() FROM spent
     UNION ALL SELECT $1, id, 'settle', 0, -20000, 20000, now() FROM spent`,
    [account.id],
  )
}

it('shows nothing any more in one tab when its reader has signed out in another and comes back', async () => {
  const { page: first } = await site.browser()
  const person = { name: 'Clinic', person: 'Wambui', email: 'wambui@example.org', credit_seconds: 60 }
  const { link } = (await callFrom(operator, 'POST', '/operator/accounts', person)) as { link: string }
  await choosePassword(first, link)
  await first.goto(`${site.baseUrl}/app/settings`)
  await first.getByText('Signed in as wambui@example.org.').waitFor()
  const second = await first.context().newPage()
  await second.goto(`${site.baseUrl}/app`)
  await second.getByRole('button', { name: 'Sign out' }).click()
  await second.waitForURL(/signin/)
  // As when the browser shows a page again that it has kept.
  await first.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await first.waitForURL(/signin/)
  expect(await first.getByText('wambui@example.org').count()).toBe(0)
})
