import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  choosePassword,
  collectProblems,
  PASSWORD,
  prepareSpokenClip,
  REAL_MODELS,
  type Site,
  shareOfWords,
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

it('joins, is approved, signs in, makes a key, uses it, speaks, sees the bill, revokes, is refused, leaves', async () => {
  await choosePassword(operator, await site.operatorLink('chief@example.org'))

  await developer.goto(site.baseUrl)
  await developer.getByRole('link', { name: 'Join the waitlist' }).click()
  await developer.getByLabel('Your name').fill('Wanjirũ <script>alert(1)</script>')
  await developer.getByLabel('E-mail').fill('wanjiru@example.org')
  await developer.getByLabel('Organisation').fill('Clinic "><img src=x onerror=alert(1)>')
  await developer.getByLabel('What will you use it for?').fill('Captions in the waiting room')
  await developer.getByRole('button', { name: 'Join the waitlist' }).click()
  await developer.getByText('You are on the list.').waitFor()

  const link = await approve(operator, 'wanjiru@example.org')
  await developer.reload()
  await developer.getByText('You are in.').waitFor()
  await choosePassword(developer, link)
  await developer.getByRole('button', { name: 'Sign out' }).first().click()
  await developer.waitForURL('**/signin')
  await developer.getByLabel('E-mail').fill('wanjiru@example.org')
  await developer.getByLabel('Password').fill(PASSWORD)
  await developer.getByRole('button', { name: 'Sign in' }).click()
  await developer.getByRole('heading', { name: 'Overview' }).waitFor()
  await developer.locator('.stat', { hasText: 'Available' }).getByText('10 min').waitFor()

  const key = await createKey(developer)
  await developer.reload()
  await developer.getByText('clinic-server').waitFor()
  expect(await developer.content()).not.toContain(key)

  const balance = await useWithCurl(developer, key)
  expect(balance).toMatchObject({ object: 'credit_balance', available_ms: 600_000 })

  const heard = await speakUntilHeard(developer)
  expect(shareOfWords(clip.words, heard), `${clip.words} was heard as ${heard}`).toBeGreaterThanOrEqual(0.8)

  await developer.getByRole('link', { name: 'Overview' }).click()
  await developer.getByRole('cell', { name: 'completed' }).first().waitFor()
  const billed = (await useWithCurl(developer, key)).recent_sessions[0]
  expect(billed.billable_ms).toBe(Math.ceil(billed.audio_ms / 1000) * 1000)
  expect(billed.audio_ms).toBeGreaterThan(clip.durationMs / 2)

  await developer.getByRole('link', { name: 'API keys' }).click()
  await developer.getByRole('button', { name: 'Revoke clinic-server' }).click()
  await developer.getByRole('button', { name: 'Revoke the key' }).click()
  await developer.getByText('1 revoked or expired key').click()
  await developer.getByRole('cell', { name: 'revoked' }).waitFor()
  expect((await useWithCurl(developer, key)).error.code).toBe('revoked_api_key')

  await leave(developer)
  expect(problems).toEqual([])
})

async function approve(page: Page, email: string): Promise<string> {
  await page.goto(`${site.baseUrl}/operator`)
  await page.getByText(email).waitFor()
  await page.getByRole('button', { name: 'Approve…' }).click()
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  const link = await page.locator('dialog .secret code').textContent()
  await page.getByRole('button', { name: 'Done' }).click()
  return link!
}

async function createKey(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByLabel('Name').fill('clinic-server')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const key = await page.locator('dialog .secret code').textContent()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  expect(key).toMatch(/^svc_live_v1_/)
  return key!
}

/** Runs the first command of the page's own curl snippet, as a reader would paste it. */
async function useWithCurl(page: Page, key: string) {
  const here = page.url()
  await page.goto(`${site.baseUrl}/app/keys`)
  const snippet = (await page.locator('[role=tabpanel] code').textContent())!
  await page.goto(here)
  const command = snippet.split('\n\n')[0]!
  const env = { ...process.env, SAUTI_API_KEY: key, SAUTI_CA: join(site.dataDir, 'tls', 'ca.pem') }
  const { stdout } = await run('bash', ['-c', command], { env })
  return JSON.parse(stdout)
}

/** A machine with too much to do swallows sound on its way through the browser; then one says it again, as anybody would. */
async function speakUntilHeard(page: Page): Promise<string> {
  for (let turn = 1; ; turn++) {
    const heard = await speak(page)
    if (turn === 3 || shareOfWords(clip.words, heard) >= 0.8) return heard
  }
}

async function speak(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Playground' }).click()
  await page.getByRole('button', { name: 'Speak' }).click()
  await page.getByText('Listening', { exact: true }).waitFor()
  await page.waitForTimeout(clip.durationMs + 1500)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Speak' }).waitFor()
  const words = await page.locator('.word').allTextContents()
  await page.locator('.word').first().hover()
  await page.getByText(/% confident/).waitFor()
  const measured = await page.locator('.measured').textContent()
  expect(measured).toMatch(/First words\d+ ms.*Final text\d+ ms/)
  return words.join(' ')
}

async function leave(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Delete my sign-in and data…' }).click()
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Delete for ever' }).click()
  await page.waitForURL(`${site.baseUrl}/`)
  await page.goto(`${site.baseUrl}/app`)
  await page.waitForURL('**/signin')
}
