import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from '../../../sdk/test/support/browser.ts'
import { callFrom, choosePassword, prepareSpokenClip, type Site, startSite } from '../support/site.ts'

let site: Site
let page: Page
let accountId: string
let close: () => Promise<void>

beforeAll(async () => {
  site = await startSite()
  const browser = await openBrowser({ service: site, deniesMicrophone: true })
  page = browser.page
  close = () => browser.close()
  await choosePassword(page, await site.operatorLink('chief@example.org', 1))
  accountId = (await callFrom(page, 'GET', '/me')).account.id
})
afterAll(async () => {
  await close()
  await site.stop()
})

async function trySpeaking(): Promise<string> {
  await page.goto('about:blank')
  await page.goto(`${site.baseUrl}/app/playground`)
  await page.getByRole('button', { name: 'Start speaking' }).click()
  return (await page.getByRole('alert').textContent())!
}

it('says clearly why it cannot listen: no microphone, streaming elsewhere, no credit, not active', async () => {
  expect(await trySpeaking()).toMatch(/microphone is not allowed here/)
  await expect.poll(async () => (await callFrom(page, 'GET', '/usage')).reserved_ms).toBe(0)

  await callFrom(page, 'POST', '/playground/sessions', { model: 'svc-asr-kikuyu-v1', max_audio_seconds: 1 })
  expect(await trySpeaking()).toMatch(/already streaming/)

  await callFrom(page, 'PATCH', `/operator/accounts/${accountId}`, { concurrency_limit: 5 })
  expect(await trySpeaking()).toMatch(/no credit left/)

  await callFrom(page, 'PATCH', `/operator/accounts/${accountId}`, { active: false })
  expect(await trySpeaking()).toMatch(/not active/)
})

it('does not call a refused file done', async () => {
  await callFrom(page, 'POST', `/operator/accounts/${accountId}/credits`, { seconds: 60, note: 'A file' })
  await page.goto('about:blank')
  await page.goto(`${site.baseUrl}/app/playground`)
  await page.locator('.measured').getByText('left').waitFor()
  await page.locator('input[type=file]').setInputFiles(prepareSpokenClip().path)
  await page.getByRole('alert').getByText('not active').waitFor({ timeout: 60_000 })
  expect(await page.locator('.status').getByRole('status').textContent()).toBe('')
})
