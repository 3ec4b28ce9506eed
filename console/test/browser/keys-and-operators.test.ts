// The rules of keys and the roles of operators, as people change them on the pages.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findViolations } from '../support/accessibility.ts'
import { callFrom, choosePassword, collectProblems, type Site, startSite } from '../support/site.ts'

let site: Site
let page: Page
const problems: string[] = []
beforeAll(async () => {
  site = await startSite()
  page = (await site.browser()).page
  collectProblems(page, problems)
  await choosePassword(page, await site.operatorLink('chief@example.org', 600))
})
afterAll(() => site.stop())

it('a key gets a monthly limit and allowed addresses, and both can be changed', async () => {
  await page.goto(`${site.baseUrl}/app/keys`)
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('clinic-server')
  await dialog.getByLabel('Monthly limit').fill('10 h')
  await dialog.getByLabel('Allowed addresses').fill('192.0.2.0/24, 2001:db8::/32')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'I have saved the key' }).click()
  await page.getByText('Only from 192.0.2.0/24, 2001:db8::/32').waitFor()
  await page.getByRole('cell', { name: '10 h' }).waitFor()

  await page.getByRole('button', { name: 'Edit clinic-server' }).click()
  expect(await dialog.getByLabel('Monthly limit').inputValue()).toBe('10 h')
  expect(await findViolations(page)).toEqual([])
  await dialog.getByLabel('Monthly limit').fill('')
  await dialog.getByLabel('Allowed addresses').fill('no address')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Allowed addresses').fill('127.0.0.1')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Only from 127.0.0.1').waitFor()
  const { data } = await callFrom(page, 'GET', '/keys')
  expect(data).toMatchObject([{ monthly_limit_seconds: null, allowed_addresses: ['127.0.0.1'] }])
})

it('a key is replaced while both work', async () => {
  await page.getByRole('button', { name: 'Replace clinic-server' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('The old key still works').selectOption('168')
  expect(await findViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create new key' }).click()
  await page.getByRole('button', { name: 'I have saved the key' }).click()
  await page.getByText('Replaced by a newer key').waitFor()
  const { data } = await callFrom(page, 'GET', '/keys')
  const old = data.find((key: { replaced_by: string | null }) => key.replaced_by !== null)
  const days = (Date.parse(old.expires_at) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(6.9)
  expect(days).toBeLessThan(7.1)
  expect(await page.getByRole('button', { name: 'Replace clinic-server' }).count()).toBe(1)
})

it('an operator is invited, gets another role, is signed out and removed; nobody removes themselves', async () => {
  await page.goto(`${site.baseUrl}/operator/operators`)
  await page.getByRole('button', { name: 'Invite operator' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Achieng')
  await dialog.getByLabel('Email').fill('achieng@example.org')
  await dialog.getByLabel('Role').selectOption('auditor')
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const link = (await page.locator('dialog .secret code').textContent())!
  // The link is shown once, so Escape does not lose it.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  expect(await page.locator('dialog .secret code').textContent()).toBe(link)
  await page.getByRole('button', { name: 'I have saved the link' }).click()
  await page.getByRole('cell', { name: 'Auditor' }).waitFor()
  const { page: auditor } = await site.browser()
  await choosePassword(auditor, link)
  await auditor.goto(`${site.baseUrl}/operator/operators`)
  await auditor.getByText('Only owners can invite operators').waitFor()
  expect(await auditor.getByRole('button', { name: /Remove/ }).count()).toBe(0)

  await page.getByRole('button', { name: 'Change role: achieng@example.org' }).click()
  await dialog.getByLabel('Role').selectOption('support')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'Support' }).waitFor()
  await page.getByRole('button', { name: 'Sign out: achieng@example.org' }).click()
  await dialog.getByRole('button', { name: 'Sign out' }).click()
  await dialog.waitFor({ state: 'detached' })
  await auditor.reload()
  await auditor.waitForURL(/signin/)

  // Nobody can remove themselves here: the row says that it is oneself.
  await page.getByText('You', { exact: true }).waitFor()
  expect(await findViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove: achieng@example.org' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove: achieng@example.org' }).waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})
