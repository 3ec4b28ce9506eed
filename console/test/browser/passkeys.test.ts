// Passkeys in a real browser with its virtual authenticator, against the real service.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findViolations } from '../support/accessibility.ts'
import { choosePassword, collectProblems, type Site, startSite } from '../support/site.ts'

let site: Site
let page: Page
let origin: string
const problems: string[] = []
beforeAll(async () => {
  // Browsers allow passkeys for a host name only.
  site = await startSite({ SAUTI_HOST: 'localhost' })
  origin = site.publicUrl
  page = (await site.browser()).page
  collectProblems(page, problems)
  await addAuthenticator(page)
  const link = await site.operatorLink('chief@example.org', 60)
  await choosePassword(page, link.replace(site.baseUrl, origin))
})
afterAll(() => site.stop())

/** A device with a fingerprint reader that always recognises its owner. */
async function addAuthenticator(target: Page): Promise<void> {
  const devtools = await target.context().newCDPSession(target)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
}

it('a passkey is added after the password, and signs in on the sign-in page', async () => {
  await page.goto(`${origin}/app/settings`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  expect(await findViolations(page)).toEqual([])
  await page.getByRole('dialog').getByLabel('Name').fill('Work laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await page.getByText('not used yet').waitFor()
  expect(await findViolations(page)).toEqual([])

  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.waitForURL(/signin|\/$/)
  await page.goto(`${origin}/signin`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  expect(await findViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(/\/app$/)
  await page.goto(`${origin}/app/settings`)
  await page.getByText('Last used').waitFor()
})

it('the same device is not added twice', async () => {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Again')
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This device already has a passkey for you.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
})

it('it is renamed and removed, and then it no longer signs in', async () => {
  await page.getByRole('button', { name: 'Rename Work laptop' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Old laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Remove Old laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove Old laptop' }).waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.waitForURL(/signin|\/$/)
  await page.goto(`${origin}/signin`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('This passkey was not accepted.').waitFor()
  expect(problems).toEqual([])
})

it('the page says so where no passkey can work, and offers none', async () => {
  const byAddress = await startSite()
  const { page: other } = await byAddress.browser()
  await other.goto(`${byAddress.baseUrl}/signin`)
  await other.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  await choosePassword(other, await byAddress.operatorLink('second@example.org', 60))
  await other.goto(`${byAddress.baseUrl}/app/settings`)
  await other.getByText('Passkeys need a host name').waitFor()
  expect(await other.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0)
  await byAddress.stop()
})
