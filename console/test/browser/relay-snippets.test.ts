// The guide to live captions, copied from its page: its server and its two pages, with a microphone that plays a clip.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Browser, openBrowser } from '../../../sdk/test/support/browser.ts'
import { CLIP, REAL_MODELS } from '../../../sdk/test/support/clip.ts'
import { shareOfWords, waitUntilHeard } from '../../../sdk/test/support/hearing.ts'
import { copySnippet } from '../../../server/test/support/docs-snippets.ts'
import { createCustomer } from '../../../server/test/support/service/customer.ts'
import { startTestService, type TestService } from '../../../server/test/support/service/service.ts'

const GUIDE = 'guides/browser-relay'
const ROOT = new URL('../../../', import.meta.url)
const IMPORTS = {
  '@sauti/client': '/sdk/dist/index.js',
  '@sauti/protocol/audio': '/protocol/dist/audio.js',
}
/** What the guide leaves to its reader. */
const AROUND = `const shown = document.getElementById('shown')
const stopButton = document.getElementById('stop')
globalThis.heard = []
globalThis.tentative = ''
const show = (text, state) => {
  shown.textContent = state
  tentative = state === 'still changing' ? text : ''
  if (state !== 'still changing') heard.push(text)
}
const meter = () => undefined
`

let service: TestService
let folder: string
let relay: ChildProcess
let browser: Browser
let pages: Server
let address: string
beforeAll(async () => {
  service = await startTestService({ env: REAL_MODELS })
  folder = mkdtempSync(fileURLToPath(new URL('node_modules/.relay-', ROOT)))
  const relayPort = await startRelay()
  const snippets = {
    '/live': await copySnippet(service, GUIDE, 'openLiveSession'),
    '/continuous': await copySnippet(service, GUIDE, 'openContinuousStream'),
  }
  pages = servePages(snippets, relayPort)
  await once(pages.listen(0, '127.0.0.1'), 'listening')
  address = `http://localhost:${(pages.address() as AddressInfo).port}`
  browser = await openBrowser({ clip: CLIP.path, service })
})
afterAll(async () => {
  await browser?.close()
  pages?.closeAllConnections()
  pages?.close()
  relay?.kill()
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The server of the guide, on a port that is free. */
async function startRelay(): Promise<number> {
  const code = await copySnippet(service, GUIDE, 'createServer')
  const { key } = await createCustomer(service.database, new Date(), { concurrency: 2 })
  const file = join(folder, 'server.mjs')
  expect(code).toContain('.listen(3000)')
  const onFreePort = '.listen(0, function () { console.log(this.address().port) })'
  writeFileSync(file, code.replace('.listen(3000)', onFreePort))
  const env = { SAUTI_API_KEY: key, NODE_EXTRA_CA_CERTS: join(service.dataDir, 'tls', 'ca.pem') }
  relay = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(relay.stdout!, 'data')
  return Number(String(line))
}

/** Pages, the client library, and the relay below the same address. */
function servePages(snippets: Readonly<Record<string, string>>, relayPort: number): Server {
  return createServer((incoming, response) => {
    const { url = '/', method } = incoming
    const code = snippets[url]
    if (url === '/session') {
      const passed = request({ port: relayPort, path: url, method }, answer => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      incoming.pipe(passed)
    } else if (code !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end(`<!doctype html><title>Captions</title><p id="shown"></p><button id="stop">Stop</button>
<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module">${AROUND}${code}</script>`)
    } else if (/^\/(sdk|protocol)\/dist\/[\w/-]+\.js$/.test(url)) {
      response.writeHead(200, { 'content-type': 'text/javascript' })
      response.end(readFileSync(new URL(url.slice(1), ROOT)))
    } else response.writeHead(404).end()
  })
}

declare global {
  var heard: string[]
  var tentative: string
}

it.each(['live', 'continuous'])('shows %s captions', async name => {
  const { page } = browser
  await page.goto(`${address}/${name}`)
  await page.locator('#shown', { hasText: 'still changing' }).waitFor()
  await waitUntilHeard(CLIP.text, 0.7, () => page.evaluate(() => [...heard, tentative].join(' ')))
  await page.click('#stop')
  await page.locator('#shown', { hasText: 'done' }).waitFor()
  // The last sentence may have changed while it was finished.
  expect(shareOfWords(CLIP.text, await page.evaluate(() => heard.join(' ')))).toBeGreaterThan(0.6)
})
