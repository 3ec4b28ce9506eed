// Whatever the page of keys offers to copy: pasted as it stands, and run against the very service that shows it.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isMissing, pathOf } from '../../../server/test/support/programs.ts'
import { countWordErrors, readSamples } from '../../../server/test/support/recogniser/samples.ts'
import { callFrom, choosePassword, REAL_MODELS, type Site, startSite } from '../support/site.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

let site: Site
let page: Page
let folder: string
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  site = await startSite(REAL_MODELS)
  page = (await site.browser()).page
  await choosePassword(page, await site.operatorLink('chief@example.org', 600))
  await site.database.query('UPDATE accounts SET concurrency_limit = 5')
  const { api_key } = await callFrom(page, 'POST', '/keys', { name: 'snippets' })
  // Below the packages of the repository, so that `ws` is found; the client comes from the service.
  folder = mkdtempSync(join(ROOT, 'node_modules', '.snippets-'))
  // Nothing but SAUTI_CA tells the programs whom to trust.
  const { NODE_EXTRA_CA_CERTS: _node, SSL_CERT_FILE: _openssl, ...inherited } = process.env
  env = { ...inherited, SAUTI_CA: join(site.dataDir, 'tls', 'ca.pem'), SAUTI_API_KEY: api_key }
  await page.goto(`${site.baseUrl}/app/keys`)
})
afterAll(async () => {
  await site.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** What a reader would have on the clipboard, after doing what the page says to do before: all but the registry's part. */
async function copySnippet(name: string): Promise<{ code: string; run: string; packageFile: string }> {
  await page.getByRole('tab', { name }).click()
  const blocks = await page.locator('[role=tabpanel] .code code').allTextContents()
  const [preparation = '', code = '', command = ''] = blocks
  const fetching = preparation.slice(preparation.indexOf('curl')).split(/\n(?=npm|pip)/)
  await execute('bash', ['-ec', fetching[0]!])
  return { code, run: command, packageFile: /install (\S+)/.exec(fetching[1] ?? '')?.[1] ?? '' }
}

function expectTranscript(printed: string): void {
  const [said] = readSamples('ki')
  expect(countWordErrors(printed, said!.text), printed).toBeLessThanOrEqual(2)
}

async function execute(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(program, args, { cwd: folder, env, timeout: 90_000 })
  return stdout.trim()
}

/** What `npm install` does with the file, without a registry for the rest. */
async function installClient(packageFile: string): Promise<void> {
  const place = join(folder, 'node_modules', '@sauti', 'client')
  mkdirSync(place, { recursive: true })
  await execute('tar', ['-xzf', packageFile, '-C', place, '--strip-components=1'])
}

it.skipIf(isMissing('curl'))('curl', async () => {
  const { code } = await copySnippet('curl')
  expectTranscript(JSON.parse(await execute('bash', ['-ec', code])).text)
})

it.skipIf(isMissing('curl'))('TypeScript', async () => {
  const { code, run, packageFile } = await copySnippet('TypeScript')
  await installClient(packageFile)
  writeFileSync(join(folder, 'transcribe.mjs'), code)
  expectTranscript(await execute('bash', ['-ec', run]))
})

it.skipIf(isMissing('curl') || isMissing('python'))('Python, with the package of the service', async () => {
  const { code, packageFile } = await copySnippet('Python')
  // What pip does with a wheel, without a registry for its dependencies.
  await execute(pathOf('python'), ['-m', 'zipfile', '-e', packageFile, folder])
  writeFileSync(join(folder, 'transcribe.py'), code)
  expectTranscript(await execute(pathOf('python'), ['transcribe.py']))
})
