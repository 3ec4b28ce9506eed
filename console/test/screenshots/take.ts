// Pictures of every page, and of pages in the middle of being used, in both themes and two widths. The folder is printed at
// the end; SCREENSHOTS chooses it, ONLY=/app,docs-search takes some addresses or moments.

import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { it } from 'vitest'
import { DEVELOPER, DOCS, fillPages, OPERATOR, openPage, VISITOR } from '../support/pages.ts'
import { callFrom, choosePassword, REAL_MODELS, type Site, startSite } from '../support/site.ts'
import { fillHistory } from './history.ts'
import { MOMENTS, type Moment, VISITOR_MOMENTS } from './moments.ts'

const FOLDER = process.env.SCREENSHOTS ?? join(tmpdir(), 'sauti-screenshots')
const WIDTHS = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }
const only = process.env.ONLY?.split(',')

it('takes a picture of every page', async () => {
  const site = await startSite({ ...REAL_MODELS, SAUTI_DEMO_STREAMS: '8' })
  try {
    const { page } = await site.browser()
    await choosePassword(page, await site.operatorLink('chief@example.org', 900))
    const account = await fill(site, page)
    mkdirSync(FOLDER, { recursive: true })
    const { page: visitor } = await site.browser()
    await takeAll(visitor, site.baseUrl, [...pages(VISITOR), ...VISITOR_MOMENTS])
    await takeAll(page, site.baseUrl, [...pages([...DOCS, ...DEVELOPER, ...OPERATOR, account]), ...MOMENTS])
    process.stdout.write(`pictures in ${FOLDER}\n`)
  } finally {
    await site.stop()
  }
})

/** Gives the path of the operator's page of the account. */
async function fill(site: Site, page: Page): Promise<string> {
  const path = await fillPages(page)
  const { account } = await callFrom(page, 'GET', '/me')
  const { data } = await callFrom(page, 'GET', '/keys')
  await fillHistory(site, account.id, data[0].id)
  return path
}

async function takeAll(page: Page, baseUrl: string, moments: readonly Moment[]): Promise<void> {
  for (const moment of moments)
    if (only === undefined || only.includes(moment.name) || only.includes(moment.path))
      await takeFour(page, baseUrl, moment)
}

function pages(paths: readonly string[]): Moment[] {
  return paths.map(path => ({ name: nameOf(path), path, reach: async () => undefined }))
}

function nameOf(path: string): string {
  if (path === '/') return 'front'
  const name = path.slice(1).replaceAll(/[/#]/g, '-')
  return name.replace(/[0-9a-f-]{36}$/, 'one')
}

async function takeFour(page: Page, baseUrl: string, { name, path, reach }: Moment): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    for (const [width, size] of Object.entries(WIDTHS)) {
      await page.setViewportSize(size)
      await openPage(page, baseUrl + path, theme)
      await reach(page)
      await page.screenshot({ path: join(FOLDER, `${name}.${theme}.${width}.png`), fullPage: true })
    }
  }
}
