// A page on localhost that has the built SDK as `sauti`, under a strict content security policy.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type * as sdk from '#sdk/index.js'

declare global {
  interface Window {
    sauti: typeof sdk
  }
}

const IMPORTS = JSON.stringify({
  imports: { '@sauti/client': '/sdk/dist/index.js', '@sauti/protocol/audio': '/protocol/dist/audio.js' },
})
const PAGE = `<!doctype html><title>SDK</title><script type="importmap">${IMPORTS}</script>
<script type="module" src="/start.js"></script>`
const START = "window.sauti = await import('@sauti/client')"
const ROOT = new URL('../../../', import.meta.url)

export interface SdkPage {
  /** Only scripts of its own origin run. */
  readonly strictUrl: string
  /** Scripts made in the page run too. */
  readonly looseUrl: string
  close(): Promise<void>
}

export async function serveSdkPage(): Promise<SdkPage> {
  const hash = createHash('sha256').update(IMPORTS).digest('base64')
  const server = createServer(({ url = '/' }, response) => {
    const policy = `script-src 'self' 'sha256-${hash}' 'unsafe-eval'${url === '/loose' ? ' blob:' : ''}`
    const isPage = url === '/loose' || url === '/strict'
    const type = isPage ? 'text/html' : 'text/javascript'
    response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': policy })
    if (isPage) response.end(PAGE)
    else if (url === '/start.js') response.end(START)
    else if (/^\/(sdk|protocol)\/dist\/(?:[a-z-]+\/)*[a-z-]+\.js$/.test(url)) {
      response.end(readFileSync(fileURLToPath(new URL(url.slice(1), ROOT))))
    } else response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    strictUrl: `${address}/strict`,
    looseUrl: `${address}/loose`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
