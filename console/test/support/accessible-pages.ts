// What must hold of every page, whoever sees it. Each page is loaded once and shown in both widths and themes: they are a matter of styles
// alone (a test holds the scripts to that), so a page that is resized or darkened is the page that would have been loaded so.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findViolations } from './accessibility.ts'
import { openPage, stopTransitions } from './pages.ts'

const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 360, height: 740 }

/** All rules in both widths, because each hides other parts. The dark theme changes colours and nothing else: there, contrast is enough. */
export async function checkPage(page: Page, url: string, themes: 'light' | 'both' = 'both'): Promise<void> {
  await page.setViewportSize(WIDE)
  await openPage(page, url, 'light')
  await stopTransitions(page)
  expect(await findViolations(page), 'wide').toEqual([])
  expect(await measureOverflow(page), 'pixels too many when wide').toBeLessThanOrEqual(0)
  expect(await countCutTables(page), 'tables that are cut off').toBe(0)
  await page.setViewportSize(PHONE)
  expect(await findViolations(page), 'on a phone').toEqual([])
  expect(await measureOverflow(page), 'pixels too many on a phone').toBeLessThanOrEqual(0)
  if (themes === 'both') await checkContrastInTheDark(page)
}

async function checkContrastInTheDark(page: Page): Promise<void> {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await background()
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  expect(await background(), 'the colour of the page in the dark').not.toBe(light)
  expect(await findViolations(page, ['color-contrast']), 'on a phone, in the dark').toEqual([])
  await page.setViewportSize(WIDE)
  expect(await findViolations(page, ['color-contrast']), 'wide, in the dark').toEqual([])
}

function measureOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
}

function countCutTables(shown: Page): Promise<number> {
  return shown
    .locator('article .scroll')
    .evaluateAll(tables => tables.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length)
}
