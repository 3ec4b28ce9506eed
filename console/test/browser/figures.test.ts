// What the pages count: the live figures of the operators, usage in a free range of days, names in the audit log, and the way
// from the documentation to the source.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callFrom, choosePassword, REAL_MODELS, type Site, startSite } from '../support/site.ts'

const DAY_MS = 86_400_000
let site: Site
let page: Page
beforeAll(async () => {
  site = await startSite({ ...REAL_MODELS, SAUTI_SOURCE_URL: 'https://example.org/sauti/blob/main/' })
  page = (await site.browser()).page
  await choosePassword(page, await site.operatorLink('chief@example.org', 600))
})
afterAll(() => site.stop())

const figure = (label: string) => page.locator('.sparkline', { hasText: label })

it('draws streams, latency and engines of the running service', async () => {
  await page.goto(`${site.baseUrl}/operator/health`)
  await figure('First words').getByText('No streams yet').waitFor()
  await page.goto(`${site.baseUrl}/app/playground`)
  await page.getByRole('button', { name: 'Try a sample' }).click()
  await page.getByText('Done.').waitFor()

  await page.goto(`${site.baseUrl}/operator/health`)
  for (const label of ['First words', 'Engine time per chunk'])
    await figure(label)
      .getByText(/^\d+ \/ \d+ ms$/)
      .waitFor()
  await figure('Open streams')
    .getByText(/^0 of \d+$/)
    .waitFor()
  await figure('Capacity in streams').getByText(/^\d+$/).waitFor()
  expect(await figure('First words').locator('polyline').count()).toBe(2)
})

it('shows usage in a range of days that somebody chooses', async () => {
  await site.database.query(`UPDATE sessions SET created_at = created_at - interval '200 days'`)
  const thatDay = new Date(Date.now() - 200 * DAY_MS).toISOString().slice(0, 10)
  await page.goto(`${site.baseUrl}/app`)
  await page.getByText('No audio in this period.').waitFor()
  await page.getByRole('button', { name: 'Dates' }).click()
  await page.getByLabel('From', { exact: true }).fill('2025-01-01')
  await page.getByText('Choose at most 366 days.').waitFor()
  await page.getByLabel('From', { exact: true }).fill(thatDay)
  await page.getByLabel('To', { exact: true }).fill(thatDay)
  await page.getByText(/4 s in 1 session, 1 day · Days in your time zone \(/).waitFor()
  await page.getByRole('cell', { name: 'Kikuyu' }).first().waitFor()
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByText('The last day is before the first.').waitFor()

  await page.goto(`${site.baseUrl}/app/sessions`)
  await page
    .getByLabel('To', { exact: true })
    .fill(new Date(Date.now() - 199 * DAY_MS).toISOString().slice(0, 10))
  await page.getByRole('cell', { name: 'Completed' }).waitFor()
  await page
    .getByLabel('From', { exact: true })
    .fill(new Date(Date.now() - 190 * DAY_MS).toISOString().slice(0, 10))
  await page.getByText('No sessions match these filters').waitFor()
})

it('names keys in the audit log and leads to their account', async () => {
  await callFrom(page, 'POST', '/keys', { name: 'clinic-server' })
  await page.goto(`${site.baseUrl}/operator/audit`)
  await page.getByRole('link', { name: 'clinic-server' }).click()
  await page.getByRole('heading', { name: 'Clinic' }).waitFor()
})

it('leads from the front page and the documentation to the source', async () => {
  await page.goto(`${site.baseUrl}/sw`)
  expect(await page.getByRole('link', { name: 'Msimbo' }).getAttribute('href')).toBe(
    'https://example.org/sauti/blob/main/',
  )

  await page.goto(`${site.baseUrl}/docs/contributing`)
  expect(await page.getByRole('link', { name: 'protocol', exact: true }).getAttribute('href')).toBe(
    'https://example.org/sauti/blob/main/protocol',
  )
  expect(await page.getByRole('link', { name: 'Source of this page' }).getAttribute('href')).toBe(
    'https://example.org/sauti/blob/main/docs/contributing.md',
  )
})
