// A small server that relays sessions: it holds the API key, the page never sees it.
// Node's own parts and the SDK, nothing else.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { SautiApiError, SautiClient } from '@sauti/client'

const { SAUTI_URL = 'https://localhost:8443', SAUTI_API_KEY, PORT = '3000' } = process.env
if (!SAUTI_API_KEY) throw new Error('set SAUTI_API_KEY')
const sauti = new SautiClient({ baseUrl: SAUTI_URL, apiKey: SAUTI_API_KEY })

const page = await readFile(new URL('page.html', import.meta.url), 'utf8')
const [, importMap] = page.match(/<script type="importmap">(.*?)<\/script>/s)

// Scripts from this server and the page's one import map, nothing else; connections to this server and the service.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(importMap).digest('base64')}'`,
  "style-src 'self'",
  'img-src data:',
  `connect-src 'self' ${SAUTI_URL.replace(/^http/, 'ws')}`,
].join('; ')

const FOLDERS = {
  '/client/': new URL('./', import.meta.resolve('@sauti/client')),
  '/protocol/': new URL('./', import.meta.resolve('@sauti/protocol/audio')),
  '/': new URL('./', import.meta.url),
}
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' }

const server = createServer((request, response) => {
  answer(request, response).catch(error => {
    console.error(error.message)
    response.writeHead(error.code === 'ENOENT' ? 404 : 500).end()
  })
})

async function answer(request, response) {
  const path = request.url === '/' ? '/page.html' : request.url
  if (request.method === 'POST' && path === '/session') return relaySession(request, response)
  if (request.method === 'GET' && path === '/models') return relay(response, 200, () => sauti.models())
  if (
    request.method !== 'GET' ||
    !/^(\/(client|protocol)(\/[a-z-]+)?)?\/[a-z-]+\.(html|css|js)$/.test(path)
  ) {
    return response.writeHead(404).end()
  }
  const [prefix, folder] = Object.entries(FOLDERS).find(([start]) => path.startsWith(start))
  const content = await readFile(fileURLToPath(new URL(path.slice(prefix.length), folder)), 'utf8')
  response.writeHead(200, {
    'Content-Type': TYPES[path.split('.').at(-1)],
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  })
  response.end(content)
}

// Here anybody who can open the page may use your credit. A real server first checks who they are and how much they may use.
async function relaySession(request, response) {
  if (request.headers['sec-fetch-site'] !== 'same-origin') return response.writeHead(403).end()
  let body = ''
  for await (const chunk of request) body += chunk
  await relay(response, 201, () => {
    const { model } = JSON.parse(body)
    return sauti.createSession({ model, max_audio_seconds: 300 }, { maxRetries: 2 })
  })
}

/** Passes on the service's answer, or its refusal. */
async function relay(response, status, call) {
  try {
    const answer = JSON.stringify(await call())
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
      .end(answer)
  } catch (error) {
    // The message of the service is safe to show.
    const [refusal, message] =
      error instanceof SautiApiError ? [error.status, error.message] : [502, 'No service.']
    response.writeHead(refusal, { 'Content-Type': 'application/json' }).end(JSON.stringify({ message }))
  }
}

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://localhost:${server.address().port}/`)
})
