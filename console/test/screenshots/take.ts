// Pictures of every page, and of pages in the middle of being used, in both themes and two widths. The folder is printed at
// the end; SCREENSHOTS chooses it, ONLY=/app,docs-search takes some addresses or moments. What could not be taken is tried once
// more, then named at the end, and only then does the command fail.

import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { it } from 'vitest'
import { DEVELOPER, DOCS, fillPages, OPERATOR, openPage, stopTransitions, VISITOR } from '../support/pages.ts'
import { callFrom, choosePassword, REAL_MODELS, type Site, startSite } from '../support/site.ts'
import { fillHistory } from './history.ts'
import { MOMENTS, type Moment, NEWCOMER_MOMENTS, VISITOR_MOMENTS } from './moments.ts'
import { STATES } from './states.ts'

const FOLDER = process.env.SCREENSHOTS ?? join(tmpdir(), 'sauti-screenshots')
const WIDTHS = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }
const ATTEMPTS = 2
/** For each thing that is waited for. A busy machine may need more than the usual half minute for a page. */
const PATIENCE_MS = 180_000
const only = process.env.ONLY?.split(',')

it('takes a picture of every page', async () => {
  const site = await startSite({ ...REAL_MODELS, SAUTI_DEMO_STREAMS: '8' })
  try {
    mkdirSync(FOLDER, { recursive: true })
    const page = await openPatiently(site)
    await choosePassword(page, await site.operatorLink('chief@example.org', 900))
    const account = await fill(site, page)
    const newcomer = await openPatiently(site)
    await choosePassword(newcomer, await site.operatorLink('newcomer@example.org', 600))
    const missed = [
      ...(await takeAll(await openPatiently(site), site.baseUrl, [...pages(VISITOR), ...VISITOR_MOMENTS])),
      ...(await takeAll(newcomer, site.baseUrl, NEWCOMER_MOMENTS)),
      ...(await takeAll(page, site.baseUrl, pages([...DOCS, ...DEVELOPER, ...OPERATOR, account]))),
      ...(await takeAll(page, site.baseUrl, [...STATES, ...MOMENTS])),
    ]
    process.stdout.write(`pictures in ${FOLDER}\n`)
    if (missed.length > 0) throw new Error(`could not be taken:\n${missed.join('\n')}`)
  } finally {
    await site.stop()
  }
})

async function openPatiently(site: Site): Promise<Page> {
  const { page } = await site.browser()
  page.setDefaultTimeout(PATIENCE_MS)
  return page
}

/** Gives the path of the operator's page of the account. */
async function fill(site: Site, page: Page): Promise<string> {
  const path = await fillPages(page)
  const { account } = await callFrom(page, 'GET', '/me')
  const { data } = await callFrom(page, 'GET', '/keys')
  await fillHistory(site, account.id, data[0].id)
  // The playground runs, although the session above is not over yet.
  await site.database.query('UPDATE accounts SET concurrency_limit = 3')
  return path
}

/** Names what could not be taken. */
async function takeAll(page: Page, baseUrl: string, moments: readonly Moment[]): Promise<string[]> {
  const missed: string[] = []
  for (const moment of moments) {
    if (only !== undefined && !only.includes(moment.name) && !only.includes(moment.path)) continue
    const problem = await takePatiently(page, baseUrl, moment)
    if (problem !== undefined) missed.push(`${moment.name}: ${problem}`)
  }
  return missed
}

async function takePatiently(page: Page, baseUrl: string, moment: Moment): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await takeFour(page, baseUrl, moment)
      return undefined
    } catch (error) {
      const problem = error instanceof Error ? error.message.split('\n')[0]! : String(error)
      process.stdout.write(`${moment.name}, attempt ${attempt}: ${problem}\n`)
      if (attempt === ATTEMPTS) return problem
    } finally {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  }
}

function pages(paths: readonly string[]): Moment[] {
  return paths.map(path => ({ name: nameOf(path), path, reach: async () => undefined }))
}

function nameOf(path: string): string {
  if (path === '/') return 'front'
  const name = path.slice(1).replaceAll(/[/#]/g, '-')
  return name.replace(/[0-9a-f-]{36}$/, 'one')
}

/** The page is loaded once: themes and widths are a matter of styles alone (see ../support/accessible-pages.ts). */
async function takeFour(page: Page, baseUrl: string, moment: Moment): Promise<void> {
  await page.setViewportSize(WIDTHS.wide)
  await moment.prepare?.(page)
  await openPage(page, baseUrl + moment.path, 'light')
  await stopTransitions(page)
  await moment.reach(page)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    for (const [width, size] of Object.entries(WIDTHS)) {
      await page.setViewportSize(size)
      await page.screenshot({ path: join(FOLDER, `${moment.name}.${theme}.${width}.png`), fullPage: true })
    }
  }
}
