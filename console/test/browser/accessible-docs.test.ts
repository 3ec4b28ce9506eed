// Every page of the documentation is accessible in both widths, fits a phone of 360 pixels, cuts off no table and breaks no policy. In the
// dark, pages that have every kind of part are enough.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { checkDarkPages, checkPages, SIZE_NAMES } from '../support/accessible-pages.ts'
import { DOCS, SOME_DOCS } from '../support/pages.ts'
import { collectProblems, type Site, startSite } from '../support/site.ts'

let site: Site
let page: Page
let problems: string[]
beforeAll(async () => {
  site = await startSite()
  page = (await site.browser()).page
  problems = collectProblems(page)
})
afterEach(() => expect(problems).toEqual([]))
afterAll(() => site.stop())

it.each(SIZE_NAMES)(
  'every page is accessible and fits: %s',
  size => checkPages(page, site.baseUrl, DOCS, size),
  600_000,
)

it.each(SIZE_NAMES)(
  'has enough contrast in the dark: %s',
  size => checkDarkPages(page, site.baseUrl, SOME_DOCS, size),
  600_000,
)
