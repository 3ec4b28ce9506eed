// Pages in the middle of being used: what somebody sees after a click, which no address leads to.

import type { Page } from 'playwright-core'

export interface Moment {
  readonly name: string
  readonly path: string
  /** Before the page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>
  readonly reach: (page: Page) => Promise<unknown>
}

/** Seen by somebody who is not signed in. */
export const VISITOR_MOMENTS: readonly Moment[] = [
  {
    name: 'front-demo',
    path: '/',
    async reach(page) {
      await page.locator('.clip').first().click()
      await page.locator('.heard.done').waitFor()
    },
  },
  {
    name: 'signin-refused',
    path: '/signin',
    async reach(page) {
      await page.getByLabel('Email').fill('somebody@example.org')
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.locator('[role=alert]').waitFor()
    },
  },
  // Last, because the browser keeps the language.
  { name: 'sw-join', path: '/join?language=sw', reach: async () => undefined },
  { name: 'sw-signin', path: '/signin?language=sw', reach: async () => undefined },
]

/** Seen by somebody whose account is new. */
export const NEWCOMER_MOMENTS: readonly Moment[] = ['app', 'app/keys', 'app/sessions', 'app/settings'].map(
  path => ({
    name: `new-${path.replaceAll('/', '-')}`,
    path: `/${path}`,
    reach: async () => undefined,
  }),
)

export const MOMENTS: readonly Moment[] = [
  {
    name: 'docs-search',
    path: '/docs',
    async reach(page) {
      await page.locator('#docs-search').fill('credit')
      await page.locator('#docs-results a').first().waitFor()
    },
  },
  {
    name: 'docs-search-nothing',
    path: '/docs',
    async reach(page) {
      await page.locator('#docs-search').fill('zebra crossing')
      await page.locator('#docs-results').getByText('No results for').waitFor()
    },
  },
  {
    name: 'app-keys-created',
    path: '/app/keys',
    async reach(page) {
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('radio-captions')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Create/ })
        .click()
      await page.locator('dialog .secret').waitFor()
    },
  },
  {
    name: 'app-keys-create',
    path: '/app/keys',
    async reach(page) {
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'app-playground-done',
    path: '/app/playground',
    async reach(page) {
      await page.getByRole('button', { name: 'Try a sample' }).click()
      await page.getByText('Done.').waitFor()
    },
  },
  {
    name: 'app-playground-plan',
    path: '/app/playground',
    async reach(page) {
      await page.locator('.measured').getByText('left').waitFor()
      const wave = makeLongWave()
      await page.locator('input[type=file]').setInputFiles({
        name: 'board-meeting-november-recording-final.wav',
        mimeType: 'audio/wav',
        buffer: wave,
      })
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'operator-approve',
    path: '/operator',
    async reach(page) {
      await page.getByRole('button', { name: 'Approve', exact: true }).first().click()
      await page.getByRole('dialog').waitFor()
    },
  },
  openDialog('app-session-details', '/app/sessions', /^Details of session/),
  openDialog('operator-session-details', '/operator/sessions', /^Details of session/),
  openDialog('app-keys-edit', '/app/keys', 'Edit clinic-server'),
  openDialog('app-keys-revoke', '/app/keys', 'Revoke clinic-server'),
  openDialog('app-settings-invite', '/app/settings', 'Invite'),
  openDialog('app-settings-delete', '/app/settings', 'Delete my sign-in and data'),
  openDialog('operator-grant', '/operator', 'Grant credit'),
  openDialog('operator-create-account', '/operator/accounts', 'Create account'),
  openDialog('operator-invite', '/operator/operators', 'Invite operator'),
  // Last, because the browser keeps the language.
  { name: 'sw-playground', path: '/app/playground?language=sw', reach: async () => undefined },
]

function openDialog(name: string, path: string, button: string | RegExp): Moment {
  return {
    name,
    path,
    async reach(page) {
      await page.getByRole('button', { name: button, exact: true }).first().click()
      await page.getByRole('dialog').waitFor()
    },
  }
}

/** Silence that is longer than a session. */
function makeLongWave(): Buffer {
  const bytes = 16_000 * 2 * 310
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + bytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(16_000, 24)
  header.writeUInt32LE(32_000, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes, 40)
  return Buffer.concat([header, Buffer.alloc(bytes)])
}
