// What only a browser can show: the microphone, decoding of files, and that a key is refused.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing, pathOf } from '../../../server/test/support/programs.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { type SdkPage, serveSdkPage } from '../support/sdk-page.ts'
import { makeWav } from '../support/sounds.ts'

const TONE_HZ = 440
const folder = mkdtempSync(join(tmpdir(), 'sauti-browser-test-'))
const clip = join(folder, 'tone.wav')
let site: SdkPage
let browser: Browser

beforeAll(async () => {
  const seconds = Array.from(
    { length: 20 * 48_000 },
    (_, n) => 0.5 * Math.sin((2 * Math.PI * TONE_HZ * n) / 48_000),
  )
  writeFileSync(clip, makeWav(seconds, { tag: 1, bits: 16, channels: 1, rateHz: 48_000 }))
  site = await serveSdkPage()
  browser = await openBrowser({ clip })
})
afterAll(async () => {
  await browser.close()
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

async function openPage(page: Page, url: string): Promise<Page> {
  await page.goto(url)
  await page.waitForFunction(() => window.sauti !== undefined)
  return page
}

/** How often the signal passes zero upwards in a second: the pitch of a clean tone. */
/** From the median period: a machine that is busy drops some of what the browser's own microphone plays. */
function pitchHz(samples: readonly number[]): number {
  const rises = samples.flatMap((sample, n) => {
    const before = samples[n - 1] ?? 0
    return sample >= 0 && before < 0 ? [n - sample / (sample - before)] : []
  })
  const periods = rises
    .slice(1)
    .map((at, i) => at - rises[i]!)
    .sort((a, b) => a - b)
  return 16_000 / periods[Math.floor(periods.length / 2)]!
}

test('an API key is refused in a page', async () => {
  const page = await openPage(browser.page, site.strictUrl)
  const code = await page.evaluate(() => {
    try {
      new window.sauti.SautiClient({ baseUrl: 'https://sauti.test', apiKey: 'svc_live_v1_x' })
      return 'accepted'
    } catch (error) {
      return (error as { code: string }).code
    }
  })
  expect(code).toBe('api_key_in_browser')
})

/** Records two seconds of sound, however long that takes, and then some that is muted. */
async function record(page: Page, workletUrl?: string) {
  return page.evaluate(async worklet => {
    const pcm: number[] = []
    const levels: number[] = []
    const microphone = await window.sauti.captureMicrophone({
      onAudio: block => pcm.push(...block),
      onLevel: ({ rms }) => levels.push(rms),
      ...(worklet ? { workletUrl: worklet } : {}),
    })
    const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
    while (pcm.length < 32_000) await wait(50)
    const [heard, loudest] = [[...pcm], Math.max(...levels)]
    microphone.muted = true
    levels.length = 0
    while (levels.length < 5) await wait(50)
    const mutedLevel = levels.at(-1)
    await microphone.stop()
    const atStop = pcm.length
    await wait(300)
    return { rateHz: microphone.sampleRateHz, heard, loudest, mutedLevel, afterStop: pcm.length - atStop }
  }, workletUrl)
}

describe('the microphone', () => {
  test.each([
    ['with its worklet made in the page', () => site.looseUrl, undefined],
    [
      'with its worklet as a file, under a strict security policy',
      () => site.strictUrl,
      '/sdk/dist/microphone-worklet.js',
    ],
  ])('%s: 16 kHz of what is heard, a level, mute and stop', async (_, url, workletUrl) => {
    const page = await openPage(browser.page, url())
    const { rateHz, heard, loudest, mutedLevel, afterStop } = await record(page, workletUrl)
    expect(rateHz).toBeGreaterThanOrEqual(44_100)
    expect(Math.abs(pitchHz(heard.slice(-16_000)) - TONE_HZ)).toBeLessThan(5)
    expect(loudest).toBeGreaterThan(0.05)
    expect(mutedLevel).toBe(0)
    expect(afterStop).toBe(0)
  })

  test('under a strict security policy without the file, it says that it could not start', async () => {
    const page = await openPage(browser.page, site.strictUrl)
    const code = await page.evaluate(() =>
      window.sauti.captureMicrophone({ onAudio: () => undefined }).catch(error => error.code),
    )
    expect(code).toBe('microphone_unavailable')
  })

  test('a device that is gone, or never was there, is reported in plain words', async () => {
    const page = await openPage(browser.page, site.looseUrl)
    const failure = await page.evaluate(() =>
      window.sauti.captureMicrophone({ onAudio: () => undefined, deviceId: 'none such' }).catch(error => ({
        code: error.code,
        message: error.message,
      })),
    )
    expect(failure).toEqual({
      code: 'microphone_missing',
      message: 'The chosen microphone is no longer available. Choose another.',
    })
  })

  test('a permission that the user denied is reported in plain words', async () => {
    const denying = await openBrowser({ deniesMicrophone: true })
    const page = await openPage(denying.page, site.looseUrl)
    const failure = await page.evaluate(() =>
      window.sauti.captureMicrophone({ onAudio: () => undefined }).catch(error => ({
        code: error.code,
        message: error.message,
      })),
    )
    await denying.close()
    expect(failure).toMatchObject({
      code: 'microphone_denied',
      message: expect.stringContaining('not allowed'),
    })
  })
})

test.skipIf(isMissing('ffmpeg'))(
  'files of every format that a browser knows become 16 kHz PCM; what is no sound is told',
  async () => {
    const page = await openPage(browser.page, site.strictUrl)
    const formats = ['mp3', 'ogg', 'flac', 'm4a', 'webm', 'wav']
    for (const format of formats) {
      const file = format === 'wav' ? clip : join(folder, `tone.${format}`)
      if (format !== 'wav')
        execFileSync(pathOf('ffmpeg'), ['-v', 'error', '-y', '-i', clip, '-t', '2', '-ac', '2', file])
      const base64 = readFileSync(file).toString('base64')
      const samples = await page.evaluate(async text => {
        const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0))
        const pcm = await window.sauti.toPcm16k(new Blob([bytes]))
        return [...pcm.subarray(8_000, 24_000)]
      }, base64)
      expect(Math.abs(pitchHz(samples) - TONE_HZ), format).toBeLessThan(3)
    }
    const code = await page.evaluate(() =>
      window.sauti.toPcm16k(new TextEncoder().encode('no sound').buffer).catch(error => error.code),
    )
    expect(code).toBe('undecodable_audio')
  },
)
