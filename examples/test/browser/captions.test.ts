import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { MODELS } from '@sauti/protocol/models'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, startBench } from '../../../sdk/test/support/bench.ts'
import { type Browser, openBrowser } from '../../../sdk/test/support/browser.ts'
import { CLIP, REAL_MODELS } from '../../../sdk/test/support/clip.ts'
import { shareOfWords, waitUntilHeard } from '../../../sdk/test/support/hearing.ts'
import { startExample } from '../support/run-example.ts'

let bench: Bench
let browser: Browser
let server: ChildProcessWithoutNullStreams
let customer: Awaited<ReturnType<Bench['customer']>>
let address: string

beforeAll(async () => {
  bench = await startBench(REAL_MODELS)
  customer = await bench.customer()
  server = startExample('captions/server.mjs', [], bench, customer.key)
  const [line] = await once(server.stdout, 'data')
  address = String(line).trim()
  browser = await openBrowser({ clip: CLIP.path, service: bench.service, recordsTraffic: true })
})
afterAll(async () => {
  await browser?.close()
  server?.kill()
  await bench?.stop()
})

test('the page shows the words of the clip that the microphone hears, and the key never reaches it', async () => {
  const { page } = browser
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  await page.goto(address)
  await page.selectOption('#model', CLIP.model)
  const languages = await page.locator('#model option').allTextContents()
  expect(languages).toEqual(MODELS.map(({ language }) => language))
  await page.click('#speak')
  await page.locator('#notice', { hasText: 'Speak now.' }).waitFor()
  await expect
    .poll(() => page.locator('#level').evaluate(meter => (meter as HTMLMeterElement).value))
    .toBeGreaterThan(0)
  const read = async (where: string) => (await page.locator(where).allTextContents()).join(' ')
  await waitUntilHeard(CLIP.text, 0.7, () => read('#captions p, #unfinished'))
  await page.click('#speak')
  await page.locator('#notice', { hasText: 'Done.' }).waitFor()
  // The last sentence may have changed while it was finished.
  expect(shareOfWords(CLIP.text, await read('#captions p'))).toBeGreaterThan(0.6)
  expect(problems).toEqual([])

  const traffic = await browser.traffic()
  expect(traffic).toContain('svc.auth.')
  expect(traffic).not.toContain(customer.key)
  expect(traffic).not.toContain('svc_live')
})

test("shows the service's own message when it refuses; another site cannot use the relay", async () => {
  const { page } = browser
  await bench.revoke(customer)
  await page.goto(address)
  await page.click('#speak')
  await page.locator('#notice', { hasText: 'The API key has been revoked.' }).waitFor()
  const foreign = await fetch(`${address}session`, { method: 'POST', body: '{}' })
  expect(foreign.status).toBe(403)
})
