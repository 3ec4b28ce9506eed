// From the link that somebody was sent to their own words on the screen: the shortest way through the pages, with its times.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startStopwatch } from '../../../server/test/support/stopwatch.ts'
import {
  callFrom,
  choosePassword,
  prepareSpokenClip,
  REAL_MODELS,
  type Site,
  startSite,
} from '../support/site.ts'

const clip = prepareSpokenClip()
let site: Site
let operator: Page
let newcomer: Page
beforeAll(async () => {
  site = await startSite(REAL_MODELS)
  operator = (await site.browser()).page
  newcomer = (await site.browser(clip.path)).page
  await choosePassword(operator, await site.operatorLink('chief@example.org'))
})
afterAll(() => site.stop())

it("leads from the link to a transcript of one's own speech in the browser", async () => {
  const watch = startStopwatch('From the link to own words')
  await newcomer.goto(`${site.baseUrl}/join`)
  await newcomer.getByLabel('Your name').waitFor()
  watch.mark('the form to join is there')
  await newcomer.getByLabel('Your name').fill('Atieno')
  await newcomer.getByLabel('Email').fill('atieno@example.org')
  await newcomer.getByLabel('What will you use it for?').fill('Captions for a morning show')
  await newcomer.getByRole('button', { name: 'Join the waitlist' }).click()
  await newcomer.getByText('You are on the waitlist.').waitFor()
  watch.mark('the request is sent')

  const { data } = await callFrom(operator, 'GET', '/operator/waitlist')
  const approved = await callFrom(operator, 'POST', `/operator/waitlist/${data[0].id}/approve`, {
    credit_seconds: 600,
  })
  watch.mark('an operator has approved it')
  await choosePassword(newcomer, approved.link)
  watch.mark('the password is set, the overview is there')

  await newcomer.getByRole('link', { name: 'Try it with your own voice' }).click()
  await newcomer.getByRole('button', { name: 'Start speaking' }).click()
  await newcomer.getByRole('status').getByText('Listening', { exact: true }).waitFor()
  watch.mark('the microphone is listening')
  await newcomer.locator('.tentative, .word').filter({ hasText: /\S/ }).first().waitFor()
  watch.mark('the first words are on the screen (the clip begins with 1.5 s of silence)')
  await newcomer.getByRole('button', { name: 'Stop' }).click()
  await newcomer.locator('.word').first().waitFor()
  watch.mark('the first final text is there')
  watch.print()
  expect((await newcomer.locator('.word').allTextContents()).length).toBeGreaterThan(0)
})
