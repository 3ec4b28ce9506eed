import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shareOfWords, waitUntilHeard } from '../../../sdk/test/support/hearing.ts'
import {
  choosePassword,
  collectProblems,
  PASSWORD,
  prepareSpokenClip,
  REAL_MODELS,
  type Site,
  startSite,
} from '../support/site.ts'

const run = promisify(execFile)
const clip = prepareSpokenClip()
let site: Site
let operator: Page
let developer: Page
const problems: string[] = []

beforeAll(async () => {
  site = await startSite(REAL_MODELS)
  operator = (await site.browser()).page
  developer = (await site.browser(clip.path)).page
  collectProblems(operator, problems)
  collectProblems(developer, problems)
})
afterAll(() => site.stop())

it('joins, is approved, signs in, creates a key, uses it, speaks, sees the cost, revokes the key, is refused, deletes the account', async () => {
  await choosePassword(operator, await site.operatorLink('chief@example.org'))

  await developer.goto(site.baseUrl)
  await developer.getByRole('link', { name: 'Join the waitlist' }).click()
  await developer.getByLabel('Your name').fill('Wanjirũ <script>alert(1)</script>')
  await developer.getByLabel('Email').fill('wanjiru@example.org')
  await developer.getByLabel('Organisation').fill('Clinic "><img src=x onerror=alert(1)>')
  await developer.getByLabel('What will you use it for?').fill('Captions in the waiting room')
  await developer.getByRole('button', { name: 'Join the waitlist' }).click()
  await developer.getByText('You are on the waitlist.').waitFor()

  const link = await approve(operator, 'wanjiru@example.org')
  await developer.reload()
  await developer.getByText('Your request was approved.').waitFor()
  await choosePassword(developer, link)
  await developer.getByRole('button', { name: 'Sign out' }).first().click()
  await developer.waitForURL('**/signin')
  await developer.getByLabel('Email').fill('wanjiru@example.org')
  await developer.getByLabel('Password').fill(PASSWORD)
  await developer.getByRole('button', { name: 'Sign in' }).click()
  await developer.getByRole('heading', { name: 'Overview' }).waitFor()
  await developer.locator('.stat', { hasText: 'Available' }).getByText('10 min').waitFor()

  const key = await createKey(developer)
  await developer.reload()
  await developer.getByText('clinic-server').waitFor()
  expect(await developer.content()).not.toContain(key)

  const balance = await useWithCurl(key)
  expect(balance).toMatchObject({ object: 'credit_balance', available_ms: 600_000 })

  const heard = await speak(developer)
  expect(shareOfWords(clip.words, heard), `${clip.words} was heard as ${heard}`).toBeGreaterThanOrEqual(0.8)

  await developer.getByRole('link', { name: 'Overview' }).click()
  await developer.getByRole('cell', { name: 'Completed' }).first().waitFor()
  const billed = (await useWithCurl(key)).recent_sessions[0]
  expect(billed.billable_ms).toBe(Math.ceil(billed.audio_ms / 1000) * 1000)
  expect(billed.audio_ms).toBeGreaterThan(clip.durationMs / 2)

  await developer.getByRole('link', { name: 'API keys' }).click()
  await developer.getByRole('button', { name: 'Revoke clinic-server' }).click()
  await developer.getByRole('button', { name: 'Revoke key' }).click()
  await developer.getByText('1 revoked or expired key').click()
  await developer.getByRole('cell', { name: 'Revoked' }).waitFor()
  expect((await useWithCurl(key)).error.code).toBe('revoked_api_key')

  await leave(developer)
  expect(problems).toEqual([])
})

async function approve(page: Page, email: string): Promise<string> {
  await page.goto(`${site.baseUrl}/operator`)
  await page.getByText(email).waitFor()
  await page.locator('.people').getByRole('button', { name: 'Approve', exact: true }).click()
  await page.locator('dialog').getByRole('button', { name: 'Approve', exact: true }).click()
  const link = await page.locator('dialog .secret code').textContent()
  await page.getByRole('button', { name: 'I have saved the link' }).click()
  return link!
}

async function createKey(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByLabel('Name').fill('clinic-server')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.locator('dialog .secret code').textContent()
  await page.getByRole('button', { name: 'I have saved the key' }).click()
  expect(key).toMatch(/^svc_live_v1_/)
  return key!
}

async function useWithCurl(key: string) {
  const authority = join(site.dataDir, 'tls', 'ca.pem')
  const headers = ['-H', `Authorization: Bearer ${key}`]
  const { stdout } = await run('curl', ['-sS', '--cacert', authority, ...headers, `${site.baseUrl}/v1/usage`])
  return JSON.parse(stdout)
}

async function speak(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Playground' }).click()
  await page.getByLabel('Recording limit').selectOption('300')
  await page.getByRole('button', { name: 'Start speaking' }).click()
  await page.getByRole('status').getByText('Listening', { exact: true }).waitFor()
  await waitUntilHeard(clip.words, 0.8, () => readWords(page))
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Start speaking' }).waitFor()
  const words = await readWords(page)
  await page.locator('.word').first().hover()
  await page.getByText(/% confidence/).waitFor()
  const measured = await page.locator('.measured').textContent()
  expect(measured).toMatch(/First words[\d.]+ m?s.*Final text[\d.]+ m?s/)
  return words
}

async function readWords(page: Page): Promise<string> {
  return (await page.locator('.word').allTextContents()).join(' ')
}

async function leave(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Delete my sign-in and data' }).click()
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.waitForURL(`${site.baseUrl}/`)
  await page.goto(`${site.baseUrl}/app`)
  await page.waitForURL('**/signin')
}
