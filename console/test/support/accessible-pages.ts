// What must hold of every page, whoever sees it: the tests of the site and of the documentation run side by side.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findViolations } from './accessibility.ts'
import { openPage } from './pages.ts'

const SIZES = { phone: { width: 360, height: 740 }, wide: { width: 1280, height: 800 } }
type Size = keyof typeof SIZES
export const SIZE_NAMES: readonly Size[] = ['phone', 'wide']

/** Accessible, not wider than the screen, and without a table that is cut off. */
export async function checkPages(page: Page, baseUrl: string, paths: readonly string[], size: Size) {
  await page.setViewportSize(SIZES[size])
  for (const path of paths) {
    await openPage(page, baseUrl + path, 'light')
    expect(await findViolations(page), path).toEqual([])
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow, `${path} is too wide`).toBeLessThanOrEqual(0)
    if (size === 'wide') expect(await countCutTables(page), `${path} has a table that is cut off`).toBe(0)
  }
}

/** The dark theme changes colours and nothing else. */
export async function checkDarkPages(page: Page, baseUrl: string, paths: readonly string[], size: Size) {
  await page.setViewportSize(SIZES[size])
  for (const path of paths) {
    await openPage(page, baseUrl + path, 'dark')
    expect(await findViolations(page, ['color-contrast']), `${path} in the dark`).toEqual([])
  }
}

function countCutTables(shown: Page): Promise<number> {
  return shown
    .locator('article .scroll')
    .evaluateAll(tables => tables.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length)
}
