// What the playground makes of speech with long pauses, from a microphone and from a file.

import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runSauti } from '../../../cli/test/support/run-sauti.ts'
import {
  callFrom,
  choosePassword,
  prepareSpokenSentences,
  REAL_MODELS,
  type Site,
  shareOfWords,
  startSite,
} from '../support/site.ts'

const clip = prepareSpokenSentences()
const SAID_AGAIN = 3

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

/** Sentences that are finished while the microphone is still open. */
async function speak(): Promise<string> {
  await page.getByRole('button', { name: 'Start speaking' }).click()
  await page.getByRole('status').getByText('Listening', { exact: true }).waitFor()
  await page.waitForTimeout(clip.durationMs)
  const heard = await shownText()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Start speaking' }).waitFor()
  return heard
}

it('ends a sentence when the speaker is silent, and loses nothing behind the pause', async () => {
  // A machine with too much to do swallows sound on its way through the browser, and answers late.
  let best = 0
  for (let turn = 0; turn < SAID_AGAIN && best < 0.7; turn++)
    best = Math.max(best, shareOfWords(clip.words, await speak()))
  expect(best).toBeGreaterThanOrEqual(0.7)
})

it('gives the same text for a file as the command', async () => {
  await page.locator('input[type=file]').setInputFiles(clip.path)
  await page.getByText('Done.').waitFor({ timeout: 60_000 })
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
