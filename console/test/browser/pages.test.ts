import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fillPages } from '../support/pages.ts'
import { callFrom, choosePassword, collectProblems, type Site, startSite } from '../support/site.ts'

let site: Site
let page: Page
let problems: string[]
beforeAll(async () => {
  site = await startSite()
  page = (await site.browser()).page
  problems = collectProblems(page)
  await choosePassword(page, await site.operatorLink('chief@example.org', 60))
  await fillPages(page)
})
afterAll(() => site.stop())

it('the frame for visitors leads whoever is signed in to the console', async () => {
  await page.goto(`${site.baseUrl}/join`)
  await page.getByRole('navigation').getByRole('link', { name: 'Console' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

it('goes through the themes, keeps the chosen one from page to page, without a flash, and can follow the system again', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(site.baseUrl)
  await page.getByRole('button', { name: 'Theme: system. Switch to light' }).click()
  await page.getByRole('button', { name: 'Theme: light. Switch to dark' }).click()
  await page.getByRole('button', { name: 'Theme: dark. Switch to system' }).waitFor()
  const answer = await page.goto(`${site.baseUrl}/docs`)
  expect(await answer!.text()).toContain('<html data-theme="dark"')
  await page.getByRole('button', { name: 'Theme: dark. Switch to system' }).click()
  expect(await page.locator('html').getAttribute('data-theme')).toBe(null)
  expect(await (await page.goto(`${site.baseUrl}/docs`))!.text()).not.toContain('data-theme')
})

it('draws plots in the theme that was chosen, with numbers that can be read on a phone', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${site.baseUrl}/docs/latency`)
  const plot = page.locator('.plot').first()
  const ground = () => plot.locator('.plot-narrow .ground').evaluate(shape => getComputedStyle(shape).fill)
  const light = await ground()
  await page.evaluate(() => {
    document.documentElement.dataset.theme = 'dark'
  })
  expect(await ground()).not.toBe(light)
  expect(await plot.locator('.plot-wide').isVisible()).toBe(false)
  const smallest = await plot.locator('.plot-narrow').evaluate(svg => {
    const scale = svg.getBoundingClientRect().width / Number(svg.getAttribute('width'))
    const sizes = [...svg.querySelectorAll('text')].map(text =>
      Number.parseFloat(getComputedStyle(text).fontSize),
    )
    return Math.min(...sizes) * scale
  })
  expect(smallest).toBeGreaterThan(11)
  await page.setViewportSize({ width: 1280, height: 720 })
  expect(await plot.locator('.plot-wide').isVisible()).toBe(true)
  expect(await plot.locator('.plot-narrow').isVisible()).toBe(false)
})

it('says in a page that an address is not there, and in JSON to programs', async () => {
  // Not all of them can be decoded.
  for (const path of ['/prices', '/prices/%zz', '/operator/%zz/x']) {
    const answer = await page.goto(site.baseUrl + path)
    expect(answer!.status()).toBe(404)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  }
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
  await visitor.getByRole('button', { name: 'Withdraw request' }).click()
  await visitor.getByText('No request was sent from this browser').waitFor()
})

it('says why a session ended, and what it was', async () => {
  await page.goto(`${site.baseUrl}/app/sessions`)
  const [session] = (await callFrom(page, 'GET', '/sessions')).data
  const details = page.getByRole('button', { name: `Details of session ${session.id}` })
  const dialog = page.getByRole('dialog', { name: 'Session' })
  await details.click()
  await dialog.getByText('Waiting for a client to open the stream.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page
    .getByRole('row', { name: session.id.slice(0, 8) })
    .getByRole('button', { name: 'Cancel' })
    .click()
  await page.locator('.badge', { hasText: 'Expired' }).first().waitFor()
  await details.press('Enter')
  await dialog.getByText('It was cancelled before it was opened.').waitFor()
  expect(await dialog.locator('dl').textContent()).toMatch(/Reasoncancelled.*Reserved5 sAudio0 sBilled0 s/)
  expect(await dialog.locator('.secret code').textContent()).toBe(session.id)
  await page.keyboard.press('Escape')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe(`Details of session ${session.id}`)
  // Operators see whose it is and where it ran.
  await page.goto(`${site.baseUrl}/operator/sessions`)
  await details.click()
  await dialog.getByRole('link', { name: 'Clinic' }).waitFor()
  await dialog.getByText(session.model).waitFor()
})

it('says it in Swahili, too, on a page that is English otherwise', async () => {
  await page.goto(`${site.baseUrl}/app/sessions?language=sw`)
  await page
    .getByRole('button', { name: /^Details of session/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog', { name: 'Kikao' })
  await dialog.getByText('Kilighairiwa kabla ya kufunguliwa.').waitFor()
  await dialog.getByText('Salio lilirudishwa.').waitFor()
  expect(await dialog.getAttribute('lang')).toBe('sw')
  const labels = await dialog.locator('dt').allTextContents()
  const times = ['Kilianza', 'Kiliisha', 'Sababu', 'Chanzo', 'Modeli']
  expect(labels).toEqual([...times, 'Kilichotengwa', 'Sauti', 'Kilicholipiwa'])
  // Nothing of it is cut off on a phone.
  const { width, height } = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 740 })
  const values = dialog.locator('dd')
  expect(
    await values.evaluateAll(all =>
      all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent),
    ),
  ).toEqual([])
  await page.setViewportSize({ width, height })
  await page.goto(`${site.baseUrl}/app/sessions?language=en`)
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
  // Escape must not lose a key that was neither copied nor confirmed.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  expect(await page.locator('dialog .secret code').textContent()).toMatch(/^svc_live_v1_/)
  await page.getByRole('button', { name: 'I have saved the key' }).press('Enter')
  await page.getByRole('cell', { name: 'by keyboard', exact: true }).waitFor()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Create a key')
  await page.getByRole('tab', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  expect(await page.getByRole('tab', { name: 'TypeScript' }).getAttribute('aria-selected')).toBe('true')
})

it('finds pages of the documentation by their words', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${site.baseUrl}/docs`)
  await page.getByLabel('Search the documentation').fill('rounded second')
  await page.locator('#docs-results a').first().waitFor()
  const { x, width } = (await page.locator('#docs-results').boundingBox())!
  expect([x >= 0, x + width <= 360]).toEqual([true, true])
  await page.locator('#docs-results a', { hasText: 'The rules' }).click()
  await page.waitForURL('**/docs/guides/billing#the-rules')
})

it('marks the section that is being read in the list of sections', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${site.baseUrl}/docs/reference/http#createTranscription`)
  await page.locator('.docs-toc a[aria-current]', { hasText: 'Transcribe a file' }).waitFor()
})

it('finds a section of the long reference on a phone, where the rest is laid out later', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  const skipped = page.locator('.object').last()
  await page.goto(`${site.baseUrl}/docs/reference/http`)
  expect(await skipped.evaluate(section => getComputedStyle(section).contentVisibility)).toBe('auto')
  const topOf = (id: string) =>
    page.locator(`#object-${id}`).evaluate(heading => Math.round(heading.getBoundingClientRect().top))
  await page.locator('article a[href="#object-Transcription"]').first().click()
  await expect.poll(() => topOf('Transcription')).toBeLessThan(200)
  await page.goto(`${site.baseUrl}/docs/reference/http#object-Error`)
  await expect.poll(() => topOf('Error')).toBeLessThan(600)
  expect(await topOf('Error')).toBeGreaterThanOrEqual(0)
})

it('searches again after the index could not be read', async () => {
  for (const answer of [{ status: 503 }, 'abort'] as const) {
    await page.goto(`${site.baseUrl}/docs`)
    await page.route('**/docs/search.json', route =>
      answer === 'abort' ? route.abort() : route.fulfill(answer),
    )
    const field = page.getByLabel('Search the documentation')
    await field.pressSequentially('bill')
    await page.getByRole('alert').getByText('Search could not be loaded').waitFor()
    await page.unroute('**/docs/search.json')
    if (answer === 'abort') await page.getByRole('button', { name: 'Try again' }).click()
    else await field.pressSequentially('ing')
    await page.locator('#docs-results a').first().waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('docs-search')
  }
  expect(problems.splice(0)).toEqual([])
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

it('leads back to the page that was asked for, also when the sign-in is looked up twice at once', async () => {
  const { page: visitor } = await site.browser()
  let release: () => void = () => undefined
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  let asked = 0
  await visitor.route('**/console/api/me', async route => {
    asked += 1
    await released
    await route.continue()
  })
  await visitor.goto(`${site.baseUrl}/app/keys`)
  await expect.poll(() => asked).toBeGreaterThan(0)
  await visitor.evaluate(() => window.dispatchEvent(new Event('pageshow')))
  await expect.poll(() => asked).toBeGreaterThan(1)
  const answers = [1, 2].map(() => visitor.waitForResponse('**/console/api/me'))
  release()
  await Promise.all(answers)
  await visitor.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(new URL(visitor.url()).search).toBe('?next=%2Fapp%2Fkeys')
})
