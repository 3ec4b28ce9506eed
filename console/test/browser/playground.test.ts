import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { isMissing, pathOf } from '../../../server/test/support/programs.ts'
import { callFrom, choosePassword, REAL_MODELS, type Site, startSite } from '../support/site.ts'

const SAMPLE = new URL('../../../models/samples/kikuyu-1.wav', import.meta.url).pathname
const WORKER = '**/audio-worker*'
const folder = mkdtempSync(join(tmpdir(), 'sauti-playground-'))

let site: Site
let page: Page
let accountId: string
beforeAll(async () => {
  site = await startSite(REAL_MODELS)
  page = (await site.browser()).page
  await choosePassword(page, await site.operatorLink('chief@example.org', 900))
  accountId = (await callFrom(page, 'GET', '/me')).account.id
})
afterAll(() => site.stop())
beforeEach(async () => {
  await page.goto('about:blank')
  await page.goto(`${site.baseUrl}/app/playground`)
  await page.locator('.measured').getByText('left').waitFor()
})

/** A recording of so many seconds: the sample again and again, as a compressed file that must be decoded and resampled. */
function makeRecording(seconds: number): string {
  const path = join(folder, `${seconds}.ogg`)
  const input = ['-stream_loop', '-1', '-i', SAMPLE, '-t', String(seconds)]
  execFileSync(pathOf('ffmpeg'), ['-loglevel', 'error', '-y', ...input, '-ar', '44100', '-ac', '2', path])
  return path
}

/** Notes the longest time in which the page could do nothing. */
function watchPauses(shown: Page): Promise<void> {
  return shown.evaluate(() => {
    const body = document.body.dataset
    let last = performance.now()
    setInterval(() => {
      const now = performance.now()
      body.longestPause = String(Math.max(Number(body.longestPause ?? 0), now - last))
      last = now
    }, 50)
  })
}

const longestPauseMs = (shown: Page) => shown.evaluate(() => Number(document.body.dataset.longestPause))

const choose = (path: string) => page.locator('input[type=file]').setInputFiles(path)
const primary = () => page.locator('.controls .button').first()
const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())

it.skipIf(isMissing('ffmpeg'))(
  'transcribes a file that is longer than a session as a whole, says so before, and never freezes the page',
  async () => {
    await watchPauses(page)
    await choose(makeRecording(305))
    const dialog = page.getByRole('dialog', { name: 'Transcribe 305.ogg?' })
    await dialog.getByText('5 min 5 s of audio will be transcribed').waitFor({ timeout: 240_000 })
    await dialog.getByText('sent as 2 sessions').waitFor()
    await dialog.getByRole('button', { name: 'Transcribe' }).click()
    await page.getByText('Done.').waitFor({ timeout: 240_000 })
    const { recent_sessions } = await callFrom(page, 'GET', '/usage')
    expect(recent_sessions.length).toBeGreaterThanOrEqual(2)
    expect(await page.locator('.measured').textContent()).toContain('Audio5 min 5 s')
    const lastWord = page.locator('.word').last()
    await lastWord.hover()
    const [, endSeconds] = /–([\d.]+) s/.exec((await page.locator('.word-facts').textContent())!)!
    expect(Number(endSeconds)).toBeGreaterThan(300)
    // A busy machine stops everything for a while (8 s were seen); a page that does the work itself stands still for half a minute on an idle one.
    expect(await longestPauseMs(page)).toBeLessThan(15_000)
  },
  600_000,
)

it.skipIf(isMissing('ffmpeg'))(
  'says before sending that the credit covers only a part, and transcribes exactly that part',
  async () => {
    const { available_ms } = await callFrom(page, 'GET', '/usage')
    await callFrom(page, 'POST', '/playground/sessions', {
      model: 'svc-asr-kikuyu-v1',
      max_audio_seconds: 1,
    })
    await callFrom(page, 'PATCH', `/operator/accounts/${accountId}`, { concurrency_limit: 9 })
    // Leave 20 seconds: the rest is set aside by sessions that nobody opens.
    let rest = Math.floor(available_ms / 1000) - 21
    while (rest > 0) {
      await callFrom(page, 'POST', '/playground/sessions', {
        model: 'svc-asr-kikuyu-v1',
        max_audio_seconds: Math.min(rest, 300),
      })
      rest -= 300
    }
    await page.reload()
    await page.locator('.measured').getByText('20 s left').waitFor()
    await choose(makeRecording(45))
    await page.getByText('only the first 20 s of 45 s will be transcribed').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Transcribe' }).click()
    // The last second may not be worth a session of its own.
    await page.getByText(/Only the first (19|20) s of 45 s were transcribed/).waitFor()
    expect(await page.locator('.word').count()).toBeGreaterThan(5)
  },
  120_000,
)

it.skipIf(isMissing('ffmpeg'))(
  'can be cancelled while it reads, keeps the focus, plays a recording in step, and offers it as a file',
  async () => {
    await callFrom(page, 'POST', `/operator/accounts/${accountId}/credits`, { seconds: 600, note: 'more' })
    await page.reload()
    await page.locator('.measured').getByText('left').waitFor()
    // The worker's code does not arrive, so that the file cannot be read before it is cancelled.
    await page.route(WORKER, () => undefined)
    await choose(makeRecording(45))
    await primary().getByText('Cancel').waitFor()
    await primary().focus()
    await primary().click()
    await expect.poll(() => primary().textContent()).toContain('Start speaking')
    await page.unroute(WORKER)
    expect(await focused()).toBe('Start speaking')

    await page.getByRole('button', { name: 'Try a sample' }).click()
    await page.getByText('Done.').waitFor()
    expect(await focused()).toBe('Try a sample')
    expect(await page.locator('.transcript > [lang]').getAttribute('lang')).toBe('ki')

    await page.locator('.word').nth(2).click()
    await expect.poll(() => page.locator('.word.playing').count()).toBe(1)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'SRT' }).click(),
    ])
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n\S/)
    await page.getByText('Show the code for this').click()
    await page.locator('.code.main').getByText('svc-asr-kikuyu-v1').waitFor()
  },
  120_000,
)

it('does not show credit that was not loaded yet as none', async () => {
  let isFirst = true
  await page.route('**/console/api/usage', route => {
    if (!isFirst) return route.continue()
    isFirst = false
    // Never answered.
    return undefined
  })
  await page.reload()
  await choose(SAMPLE)
  await page.getByText('Done.').waitFor()
  await page.unroute('**/console/api/usage')
})
