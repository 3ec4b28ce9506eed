// Every page of the site and the console is accessible in both themes and widths, fits a phone of 360 pixels, cuts off no table and breaks
// no policy. The documentation has a file of its own.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { checkDarkPages, checkPages, SIZE_NAMES } from '../support/accessible-pages.ts'
import { DEVELOPER, fillPages, OPERATOR, SWAHILI, VISITOR } from '../support/pages.ts'
import { choosePassword, collectProblems, type Site, startSite } from '../support/site.ts'

let site: Site
let page: Page
let problems: string[]
let paths: readonly string[]
beforeAll(async () => {
  site = await startSite()
  page = (await site.browser()).page
  problems = collectProblems(page)
  await choosePassword(page, await site.operatorLink('chief@example.org', 60))
  const accountPath = await fillPages(page)
  paths = [...VISITOR, ...DEVELOPER, ...OPERATOR, accountPath, ...SWAHILI, '/join?language=en']
})
afterEach(() => expect(problems).toEqual([]))
afterAll(() => site.stop())

it.each(SIZE_NAMES)(
  'every page is accessible and fits: %s',
  size => checkPages(page, site.baseUrl, paths, size),
  600_000,
)

it.each(SIZE_NAMES)(
  'every page has enough contrast in the dark: %s',
  size => checkDarkPages(page, site.baseUrl, paths, size),
  600_000,
)
