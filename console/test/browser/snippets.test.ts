// Whatever the page of keys offers to copy: pasted as it stands, and run against the very service that shows it.

import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLIP, REAL_MODELS } from '../../../sdk/test/support/clip.ts'
import { callFrom, choosePassword, type Site, startSite } from '../support/site.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PYTHON = process.env.SAUTI_TEST_PYTHON ?? '/usr/bin/python3'
const hasPythonPackages = spawnSync(PYTHON, ['-c', 'import httpx, websockets']).status === 0

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
  copyFileSync(CLIP.path, join(folder, 'speech.wav'))
  const authority = join(site.dataDir, 'tls', 'ca.pem')
  const trust = { SAUTI_CA: authority, NODE_EXTRA_CA_CERTS: authority, SSL_CERT_FILE: authority }
  env = { ...process.env, ...trust, SAUTI_API_KEY: api_key }
  await page.goto(`${site.baseUrl}/app/keys`)
})
afterAll(async () => {
  await site.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** What a reader would have on the clipboard. */
async function copySnippet(name: string): Promise<string> {
  await page.getByRole('tab', { name }).click()
  return (await page.locator('[role=tabpanel] code').textContent())!
}

async function execute(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(program, args, { cwd: folder, env, timeout: 90_000 })
  return stdout.trim()
}

/** What `npm install` does with the address in the snippet's first line, without a registry for the rest. */
async function installClient(snippet: string): Promise<void> {
  const [, address] = /npm install (\S+\.tgz) ws/.exec(snippet)!
  const place = join(folder, 'node_modules', '@sauti', 'client')
  mkdirSync(place, { recursive: true })
  await execute('curl', ['-sS', '--fail', '--cacert', env.SAUTI_CA!, '-o', 'client.tgz', address!])
  await execute('tar', ['-xzf', 'client.tgz', '-C', place, '--strip-components=1'])
}

it('curl', async () => {
  const commands = (await copySnippet('curl')).split('\n\n')
  const [usage, session] = await Promise.all(commands.map(command => execute('bash', ['-ec', command])))
  expect(JSON.parse(usage!)).toMatchObject({ object: 'credit_balance', unit: 'audio_millisecond' })
  expect(JSON.parse(session!)).toMatchObject({ object: 'asr.session', status: 'reserved' })
})

it('TypeScript, which also passes the compiler', async () => {
  const code = await copySnippet('TypeScript')
  await installClient(code)
  for (const name of ['snippet.mts', 'snippet.mjs']) writeFileSync(join(folder, name), code)
  const compiler = join(ROOT, 'node_modules', '.bin', 'tsc')
  const strict = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    'node',
  ]
  expect(await execute(compiler, [...strict, 'snippet.mts'])).toBe('')
  const printed = (await execute(process.execPath, ['snippet.mjs'])).split('\n')
  CLIP.expectText(printed.at(-1)!)
  expect(printed.length).toBeGreaterThan(1)
})

it.skipIf(!hasPythonPackages)('Python, where httpx and websockets are installed', async () => {
  writeFileSync(join(folder, 'snippet.py'), await copySnippet('Python'))
  const printed = (await execute(PYTHON, ['snippet.py'])).split('\n')
  CLIP.expectText(printed.at(-1)!)
})
