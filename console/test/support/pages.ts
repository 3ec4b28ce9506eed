// Every page of the site, and something to show on each of them.

import { SHELVES, urlOf } from '@sauti/server/http/docs/shelves.js'
import type { Page } from 'playwright-core'
import { callFrom } from './site.ts'

export const VISITOR = ['/', '/sw', '/join', '/waiting', '/signin', '/forgot', '/welcome#link', '/nothing']
/** Pages that are translated; the front page has an address of its own. The choice is kept in a cookie. */
export const SWAHILI = ['/join?language=sw', '/app/playground?language=sw']
export const DOCS = SHELVES.flatMap(({ paths }) => paths.map(urlOf))
/** All documents are made of the same parts; these have every kind of them. */
export const SOME_DOCS = ['/docs', '/docs/quickstart', '/docs/reference/http', '/docs/guides/errors']
export const DEVELOPER = [
  '/app',
  '/app/keys',
  '/app/playground',
  '/app/sessions',
  '/app/settings',
  '/app/nothing',
]
export const OPERATOR = [
  '/operator',
  '/operator/accounts',
  '/operator/sessions',
  '/operator/operators',
  '/operator/health',
  '/operator/audit',
]

/** Applications, one of them approved, a key, a session. Gives the path of the operator's page of the account. */
export async function fillPages(signedIn: Page): Promise<string> {
  const form = { name: 'Atieno Odhiambo', organisation: 'Radio Ramogi', use: 'Captions for a morning show' }
  await callFrom(signedIn, 'POST', '/waitlist', { ...form, email: 'first@example.org' })
  await callFrom(signedIn, 'POST', '/waitlist', { ...form, email: 'second@example.org' })
  const waiting = await callFrom(signedIn, 'GET', '/operator/waitlist')
  await callFrom(signedIn, 'POST', `/operator/waitlist/${waiting.data[0].id}/approve`, { credit_seconds: 60 })
  await callFrom(signedIn, 'POST', '/keys', { name: 'clinic-server' })
  await callFrom(signedIn, 'POST', '/playground/sessions', {
    model: 'svc-asr-kikuyu-v1',
    max_audio_seconds: 5,
  })
  await callFrom(signedIn, 'POST', '/credit-requests', { note: 'An hour for the clinic, please.' })
  const { account } = await callFrom(signedIn, 'GET', '/me')
  return `/operator/accounts/${account.id}`
}

/** Loads the page anew: when the scheme changes under an open page, its colours follow one after the other. */
export async function openPage(page: Page, url: string, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.goto('about:blank')
  await page.goto(url)
  await page.locator('h1').waitFor()
  await page.waitForFunction(() => document.querySelector('.skeleton') === null)
}

/** When the theme changes under an open page, colours with a transition would follow one after the other. */
export function stopTransitions(page: Page): Promise<void> {
  return page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('*, *::before, *::after { transition: none !important }')
    document.adoptedStyleSheets.push(sheet)
  })
}
