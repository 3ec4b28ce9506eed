// What the playground makes of speech with long pauses, from a microphone and from a file.

import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runSauti } from '../../../cli/test/support/run-sauti.ts'
import { shareOfWords, waitUntilHeard } from '../../../sdk/test/support/hearing.ts'
import {
  callFrom,
  choosePassword,
  prepareSpokenSentences,
  REAL_MODELS,
  type Site,
  startSite,
} from '../support/site.ts'

const clip = prepareSpokenSentences()

let site: Site
let page: Page
beforeAll(async () => {
  site = await startSite(REAL_MODELS)
  page = (await site.browser(clip.path)).page
  await choosePassword(page, await site.operatorLink('chief@example.org', 900))
})
afterAll(() => site.stop())
beforeEach(async () => {
  await page.goto(`${site.baseUrl}/app/playground`)
  await page.locator('.measured').getByText('left').waitFor()
})

async function shownText(): Promise<string> {
  return (await page.locator('.word').allTextContents()).join(' ')
}

it('ends a sentence when the speaker is silent, and loses nothing behind the pause', async () => {
  await page.getByLabel('Recording limit').selectOption('300')
  await page.getByRole('button', { name: 'Start speaking' }).click()
  // Only finished sentences have words that can be pressed, and nobody has stopped the microphone.
  await waitUntilHeard(clip.words, 0.7, shownText)
  const stop = page.getByRole('button', { name: 'Stop' })
  expect(await stop.isEnabled()).toBe(true)
  await stop.click()
  await page.getByRole('button', { name: 'Start speaking' }).waitFor()
})

it('gives the same text for a file as the command', async () => {
  await page.locator('input[type=file]').setInputFiles(clip.path)
  await page.getByText('Done.').waitFor({ timeout: 240_000 })
  const { api_key } = await callFrom(page, 'POST', '/keys', { name: 'command' })
  const env = {
    SAUTI_URL: site.baseUrl,
    SAUTI_CA: join(site.dataDir, 'tls', 'ca.pem'),
    SAUTI_API_KEY: api_key,
  }
  const { code, out } = await runSauti(['transcribe', '--model', 'kikuyu', clip.path], { env })
  expect(code).toBe(0)
  expect(shareOfWords(clip.words, out)).toBeGreaterThan(0.7)
  expect(await shownText()).toBe(out.trim().split(/\s+/).join(' '))
})
