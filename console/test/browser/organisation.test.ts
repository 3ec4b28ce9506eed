// Signing in with an organisation: a real browser, a real OpenID Connect provider, the real service.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findFreePort } from '../../../scripts/postgres-for-tests.mjs'
import { type OidcProvider, startOidcProvider } from '../../../server/test/support/console/oidc-provider.ts'
import { findViolations } from '../support/accessibility.ts'
import { collectProblems, type Site, startSite } from '../support/site.ts'

let site: Site
let provider: OidcProvider
let page: Page
const problems: string[] = []
beforeAll(async () => {
  // The provider must know the address of the service before that starts.
  const port = await findFreePort()
  provider = await startOidcProvider(`https://127.0.0.1:${port}/console/api/sign-in/organisation/callback`)
  site = await startSite({
    SAUTI_PORT: `${port}`,
    SAUTI_OIDC_ISSUER: provider.issuer,
    SAUTI_OIDC_CLIENT_ID: provider.clientId,
    SAUTI_OIDC_CLIENT_SECRET: provider.clientSecret,
    SAUTI_OIDC_NAME: 'Kenyatta Hospital',
    SAUTI_OIDC_DOMAINS: 'hospital.test',
  })
  page = (await site.browser()).page
  collectProblems(page, problems)
})
afterAll(async () => {
  await site.stop()
  await provider.close()
})

it('somebody of the organisation signs in with one button', async () => {
  provider.person = { sub: '1', email: 'achieng@hospital.test', email_verified: true, name: 'Achieng' }
  await page.goto(`${site.baseUrl}/signin`)
  await page.getByRole('button', { name: 'Sign in with Kenyatta Hospital' }).waitFor()
  expect(await findViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in with Kenyatta Hospital' }).click()
  await page.waitForURL(`${site.baseUrl}/app`)
  await page.getByText('achieng@hospital.test').first().waitFor({ state: 'attached' })
})

it('somebody without a password deletes their data without being asked for one', async () => {
  await page.goto(`${site.baseUrl}/app/settings`)
  await page.getByText('You sign in with your organisation and have no password here.').waitFor()
  await page.getByRole('button', { name: 'Delete my sign-in and data' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Password').count()).toBe(0)
  expect(await findViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await page.waitForURL(`${site.baseUrl}/`)
  await page.goto(`${site.baseUrl}/app`)
  await page.waitForURL(/signin/)
})

it('somebody unknown is told what to do', async () => {
  provider.person = { sub: '2', email: 'stranger@elsewhere.test', email_verified: true }
  const { page: other } = await site.browser()
  await other.goto(`${site.baseUrl}/signin`)
  await other.getByRole('button', { name: 'Sign in with Kenyatta Hospital' }).click()
  await other.getByText('Nobody with your email address is known here.').waitFor()
  expect(await findViolations(other)).toEqual([])
  expect(problems).toEqual([])
})
