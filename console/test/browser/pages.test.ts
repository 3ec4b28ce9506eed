import { SHELVES, urlOf } from '@sauti/server/http/docs/library.js'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callFrom, choosePassword, collectProblems, type Site, startSite } from '../support/site.ts'

const VISITOR = ['/', '/join', '/waiting', '/signin', '/forgot', '/welcome#link']
const DOCS = SHELVES.flatMap(({ paths }) => paths.map(urlOf))
/** All documents are made of the same parts; these have every kind of them. */
const DARK_DOCS = ['/docs/quickstart', '/docs/reference/http', '/docs/guides/errors']
const DEVELOPER = ['/app', '/app/keys', '/app/playground', '/app/settings', '/app/nothing']
const OPERATOR = [
  '/operator',
  '/operator/accounts',
  '/operator/sessions',
  '/operator/health',
  '/operator/audit',
]

let site: Site
let page: Page
let problems: string[]
let accountPath: string
beforeAll(async () => {
  site = await startSite()
  page = (await site.browser()).page
  problems = collectProblems(page)
  await choosePassword(page, await site.operatorLink('chief@example.org', 60))
  accountPath = await fillPages(page)
})
afterAll(() => site.stop())

/** Something to show on every page: applications, one of them approved, a key, a session. Gives the path of the account. */
async function fillPages(signedIn: Page): Promise<string> {
  const form = { name: 'Somebody', organisation: 'Somewhere', use: 'Something' }
  await callFrom(signedIn, 'POST', '/waitlist', { ...form, email: 'first@example.org' })
  await callFrom(signedIn, 'POST', '/waitlist', { ...form, email: 'second@example.org' })
  const waiting = await callFrom(signedIn, 'GET', '/operator/waitlist')
  await callFrom(signedIn, 'POST', `/operator/waitlist/${waiting.data[0].id}/approve`, { credit_seconds: 60 })
  await callFrom(signedIn, 'POST', '/keys', { name: 'a key' })
  await callFrom(signedIn, 'POST', '/playground/sessions', {
    model: 'svc-asr-kikuyu-v1',
    max_audio_seconds: 5,
  })
  const { account } = await callFrom(signedIn, 'GET', '/me')
  return `/operator/accounts/${account.id}`
}

it('every page is accessible in light and dark, fits a phone of 360 pixels and breaks no policy', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const path of [...VISITOR, ...DOCS, ...DEVELOPER, ...OPERATOR, accountPath]) {
    await open(path, 'light')
    expect(await findViolations(page), path).toEqual([])
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow, `${path} is too wide`).toBeLessThanOrEqual(0)
  }
  for (const path of [...VISITOR, ...DARK_DOCS, ...DEVELOPER, ...OPERATOR, accountPath]) {
    await open(path, 'dark')
    expect(await findViolations(page, ['color-contrast']), `${path} in the dark`).toEqual([])
  }
  expect(problems).toEqual([])
}, 300_000)

it('keeps the chosen theme from page to page, without a flash', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(site.baseUrl)
  await page.getByRole('button', { name: 'Switch between light and dark' }).click()
  const answer = await page.goto(`${site.baseUrl}/docs`)
  expect(await answer!.text()).toContain('<html data-theme="dark"')
  await page.getByRole('button', { name: 'Switch between light and dark' }).click()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('light')
})

it('says in a page that an address is not there, and in JSON to programs', async () => {
  const answer = await page.goto(`${site.baseUrl}/prices`)
  expect(answer!.status()).toBe(404)
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  const statusOf = (path: string, accept: string) =>
    page.evaluate(
      async ([address, media]) => {
        const { status, headers } = await fetch(address!, { headers: { accept: media! } })
        return [status, headers.get('content-type')?.split(';')[0]]
      },
      [path, accept],
    )
  expect(await statusOf('/prices', '*/*')).toEqual([404, 'application/json'])
  expect(await statusOf('/v1/prices', 'text/html')).toEqual([404, 'application/json'])
  expect(await statusOf('/v1/asr/sessions', 'text/html')).toEqual([405, 'application/json'])
  problems.length = 0 // the browser itself reports the answers above
})

it('lets somebody take back the request to join', async () => {
  const { page: visitor } = await site.browser()
  await visitor.goto(site.baseUrl)
  const form = { name: 'Somebody', organisation: '', use: 'Something', email: 'gone@example.org' }
  await callFrom(visitor, 'POST', '/waitlist', form)
  await visitor.goto(`${site.baseUrl}/waiting`)
  await visitor.getByRole('button', { name: 'Withdraw my request' }).click()
  await visitor.getByText('This browser has sent no request').waitFor()
})

it('can be used with the keyboard alone', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${site.baseUrl}/app/keys`, { waitUntil: 'networkidle' })
  await page.getByRole('button', { name: 'Create a key' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('key-name')
  await page.keyboard.type('by keyboard')
  await page.keyboard.press('Enter')
  await page.getByText('Copy your key now').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('cell', { name: 'by keyboard', exact: true }).waitFor()
  await page.getByRole('tab', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  expect(await page.getByRole('tab', { name: 'TypeScript' }).getAttribute('aria-selected')).toBe('true')
})

it('finds pages of the documentation by their words', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${site.baseUrl}/docs`)
  await page.getByLabel('Search the documentation').fill('rounded second')
  const { x, width } = (await page.locator('#docs-results').boundingBox())!
  expect([x >= 0, x + width <= 360]).toEqual([true, true])
  await page.locator('#docs-results a', { hasText: 'The rules' }).click()
  await page.waitForURL('**/docs/guides/billing#the-rules')
})

it('shows what people wrote as text, and nothing of it runs', async () => {
  const script = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
  await callFrom(page, 'POST', '/waitlist', {
    name: script,
    email: 'script@example.org',
    organisation: script,
    use: script,
  })
  await page.goto(`${site.baseUrl}/operator`)
  await page.getByText('script@example.org').waitFor()
  expect(await page.getByRole('heading', { name: script }).count()).toBe(1)
  await page.goto(`${site.baseUrl}/signin?next=${encodeURIComponent('javascript:window.hacked=1')}`)
  await page.goto(`${site.baseUrl}/operator/accounts/${encodeURIComponent(script)}`)
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
})

/** Loads the page anew: when the scheme changes under an open page, its colours follow one after the other. */
async function open(path: string, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.goto('about:blank')
  await page.goto(site.baseUrl + path)
  await page.locator('h1').waitFor()
  await page.locator('.waiting-dots').waitFor({ state: 'detached' })
}

/** All rules of axe, or only some. */
async function findViolations(shown: Page, rules?: readonly string[]): Promise<string[]> {
  await shown.evaluate(axe.source)
  return shown.evaluate(async only => {
    const options = { resultTypes: ['violations'], preload: false, ...(only && { runOnly: only }) }
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself on the window.
    const { violations } = await (window as any).axe.run(document, options)
    return violations.map(
      (violation: { id: string; nodes: { target: string[] }[] }) =>
        `${violation.id}: ${violation.nodes.map(node => node.target.join(' ')).join(', ')}`,
    )
  }, rules)
}
