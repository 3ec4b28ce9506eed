// The console in Firefox: signing in, the playground with a file, keys. What only the pages' own code could break in one browser.

import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Firefox, openFirefox } from '../../../sdk/test/support/firefox.ts'
import { isMissing } from '../../../server/test/support/programs.ts'
import { countWordErrors, readSamples } from '../../../server/test/support/recogniser/samples.ts'
import { PASSWORD, REAL_MODELS, type Site, startSite } from '../support/site.ts'

const SAMPLE = fileURLToPath(new URL('../../../models/samples/kikuyu-1.wav', import.meta.url))

describe.skipIf(isMissing('firefox'))('Firefox', () => {
  let site: Site
  let firefox: Firefox
  beforeAll(async () => {
    site = await startSite(REAL_MODELS)
    firefox = await openFirefox()
  })
  afterAll(async () => {
    await firefox?.close()
    await site?.stop()
  })

  it('sets a password and signs in', async () => {
    await firefox.open(await site.operatorLink('chief@example.org', 600))
    await type('New password', PASSWORD)
    await press('Save and sign in')
    await untilSignedIn()
    await press('Sign out')
    await firefox.until(`location.pathname === '/signin' && ${fieldOf('Password')}`)
    await type('Email', 'chief@example.org')
    await type('Password', PASSWORD)
    await press('Sign in')
    await untilSignedIn()
  })

  it('transcribes a file in the playground', async () => {
    await firefox.open(`${site.baseUrl}/app/playground`)
    await firefox.until(`document.querySelector('.measured')?.textContent.includes('left')`)
    await firefox.chooseFiles('input[type=file]', [SAMPLE])
    await firefox.until(`document.body.innerText.includes('Done.')`)
    const [said] = readSamples('ki')
    const heard = await firefox.read(`document.querySelector('.transcript').innerText`)
    expect(countWordErrors(heard, said!.text), heard).toBeLessThanOrEqual(2)
  })

  it('creates a key, shows it once and revokes it', async () => {
    await firefox.open(`${site.baseUrl}/app/keys`)
    await press('Create a key')
    await type('Name', 'from Firefox')
    await press('Create key')
    await firefox.until(
      `document.querySelector('dialog .secret code')?.textContent.startsWith('svc_live_v1_')`,
    )
    await firefox.read(`document.querySelector('dialog .secret button').click()`)
    await press('Done')
    await firefox.until(`document.querySelector('.table')?.textContent.includes('from Firefox')`)
    expect(await firefox.read(`document.body.innerText.match(/svc_live_v1_\\w{30}/) === null`)).toBe('true')
    await press('Revoke')
    await press('Revoke key')
    await firefox.until(`document.body.innerText.includes('1 revoked or expired key')`)
  })

  /** Until the page is complete: a page that still loads takes the place of whatever is opened meanwhile. */
  const untilSignedIn = () =>
    firefox.until(
      `location.pathname === '/app' && document.readyState === 'complete' && ${buttonOf('Sign out')} !== undefined`,
    )
  const fieldOf = (label: string) =>
    `[...document.querySelectorAll('label')].find(one => one.textContent === ${JSON.stringify(label)})?.control`
  const buttonOf = (name: string) =>
    `[...document.querySelectorAll('button')].findLast(one => one.textContent.trim() === ${JSON.stringify(name)})`

  /** Finding and acting are one step: between two, the page may draw itself anew or leave. */
  async function type(label: string, text: string): Promise<void> {
    await firefox.until(`(() => {
      const field = ${fieldOf(label)}
      if (!field) return false
      field.value = ${JSON.stringify(text)}
      return field.dispatchEvent(new Event('input', { bubbles: true }))
    })()`)
  }

  /** The click comes after the answer, because a page that it leads away from can no longer give one. */
  async function press(name: string): Promise<void> {
    await firefox.until(`(() => {
      const button = ${buttonOf(name)}
      if (button) setTimeout(() => button.click())
      return button
    })()`)
  }
})
