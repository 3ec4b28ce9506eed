// Every page is accessible in both widths and themes, fits a phone of 360 pixels, cuts off no table and breaks no policy. All documents are
// made of the same parts: in the dark, those that have every kind of part are enough.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkPage } from '../support/accessible-pages.ts'
import { DEVELOPER, DOCS, fillPages, OPERATOR, SOME_DOCS, SWAHILI, VISITOR } from '../support/pages.ts'
import { choosePassword, collectProblems, type Site, startSite } from '../support/site.ts'

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

describe('a visitor sees', () => {
  it.each(VISITOR)('%s', path => checkPage(page, site.baseUrl + path))

  it.each(DOCS)('%s', path =>
    checkPage(page, site.baseUrl + path, SOME_DOCS.includes(path) ? 'both' : 'light'),
  )
})

describe('who has signed in sees', () => {
  let accountPath: string
  beforeAll(async () => {
    await choosePassword(page, await site.operatorLink('chief@example.org', 60))
    accountPath = await fillPages(page)
  })

  it.each([...DEVELOPER, ...OPERATOR, ...SWAHILI, '/join?language=en'])('%s', path =>
    checkPage(page, site.baseUrl + path),
  )

  it('the page of an account', () => checkPage(page, site.baseUrl + accountPath))
})

describe('the check itself', () => {
  it('may resize and darken an open page, because no script asks for its width or theme', () => {
    const folder = join(import.meta.dirname, '../../dist/assets')
    const scripts = readdirSync(folder).filter(name => name.endsWith('.js'))
    const asking = scripts.filter(name =>
      /matchMedia|prefers-color-scheme|innerWidth/.test(readFileSync(join(folder, name), 'utf8')),
    )
    expect(scripts.length).toBeGreaterThan(0)
    expect(asking).toEqual([])
  })

  // Each fault shows in one width or theme alone.
  it.each([
    ['wide: button-name', '@media (width > 400px) { button { display: block } }'],
    ['on a phone: button-name', '@media (width < 400px) { button { display: block } }'],
    ['pixels too many on a phone', 'h1 { width: 500px }'],
    [
      'on a phone, in the dark: color-contrast',
      '@media (width < 400px) { p { color: light-dark(#000, #222) } }',
    ],
    ['wide, in the dark: color-contrast', '@media (width > 400px) { p { color: light-dark(#000, #222) } }'],
  ])('finds a fault: %s', async (fault, styles) => {
    const base =
      ':root { color-scheme: light dark } body { background: light-dark(#fff, #000) } button { display: none }'
    const head = `<!doctype html><html lang="en"><title>Page</title><style>${base}${styles}</style>`
    const faulty = `${head}<main><h1>Page</h1><p>Text</p><button></button></main></html>`
    const [where, rule] = fault.split(/: (?=[a-z-]+$)/)
    const found = checkPage(page, `data:text/html,${encodeURIComponent(faulty)}`)
    await expect(found).rejects.toThrow(where)
    if (rule !== undefined) await expect(found).rejects.toThrow(rule)
  })
})
