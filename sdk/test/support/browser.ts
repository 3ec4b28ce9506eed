// A real browser with a fake microphone that plays a clip and, where a test asks for it, a record of everything that goes over its network.

import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { pathOf } from '../../../server/test/support/programs.ts'
import type { TestService } from '../../../server/test/support/service/service.ts'

export interface Browser {
  readonly page: Page
  /** Every address, header, body and frame that went over the network so far, as text. Only with `recordsTraffic`. */
  traffic(): Promise<string>
  close(): Promise<void>
}

export interface BrowserOptions {
  /** WAVE file that the microphone plays again and again. Without it: a beep. */
  readonly clip?: string
  /** Whose certificate is trusted, although no public authority has signed it. */
  readonly service?: TestService
  /** Denies access to the microphone. */
  readonly deniesMicrophone?: boolean
  /** Takes time: every body that the browser loads is sent to the test, too. */
  readonly recordsTraffic?: boolean
}

export async function openBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'sauti-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: pathOf('chromium'),
    headless: true,
    args: flags(options),
    ...(options.deniesMicrophone ? {} : { permissions: ['microphone'] }),
  })
  // A busy machine may need longer than the 30 s that are usual; a test has its own limit.
  context.setDefaultTimeout(100_000)
  const page = context.pages()[0] ?? (await context.newPage())
  const traffic = options.recordsTraffic ? recordTraffic(context, page) : refuseToTell
  return {
    page,
    traffic,
    async close() {
      await context.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

async function refuseToTell(): Promise<never> {
  throw new Error('open the browser with recordsTraffic')
}

function flags({ clip, service, deniesMicrophone }: BrowserOptions): string[] {
  return [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--autoplay-policy=no-user-gesture-required',
    '--use-fake-device-for-media-stream',
    `--use-fake-ui-for-media-stream${deniesMicrophone ? '=deny' : ''}`,
    ...(clip ? [`--use-file-for-fake-audio-capture=${clip}`] : []),
    ...(service ? [`--ignore-certificate-errors-spki-list=${publicKeyHash(service)}`] : []),
  ]
}

/** Certificate errors are ignored for this one certificate and no other. */
export function publicKeyHash({ dataDir }: Pick<TestService, 'dataDir'>): string {
  const certificate = new X509Certificate(readFileSync(join(dataDir, 'tls', 'server.pem')))
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

function recordTraffic(context: BrowserContext, page: Page): () => Promise<string> {
  const parts: (string | Promise<string>)[] = []
  context.on('request', request => {
    parts.push(request.method(), request.url(), request.postData() ?? '')
    parts.push(request.allHeaders().then(JSON.stringify, String))
  })
  context.on('response', response => {
    parts.push(response.allHeaders().then(JSON.stringify, String), response.text().catch(String))
  })
  page.on('websocket', socket => {
    parts.push(socket.url())
    const record = ({ payload }: { payload: string | Buffer }) => parts.push(payload.toString('latin1'))
    socket.on('framesent', record).on('framereceived', record)
  })
  const devtools = context.newCDPSession(page).then(async session => {
    // The headers of the handshake, with its subprotocols, are available only here.
    session.on('Network.webSocketWillSendHandshakeRequest', ({ request }) =>
      parts.push(JSON.stringify(request)),
    )
    await session.send('Network.enable')
  })
  return async () => {
    await devtools
    return (await Promise.all(parts)).join('\n')
  }
}
