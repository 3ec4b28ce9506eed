// The whole service with the built console, and browsers in front of it.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAccount } from '@sauti/server/accounts/accounts.js'
import { COMMAND_LINE } from '@sauti/server/accounts/audit.js'
import { createOperator } from '@sauti/server/accounts/operators.js'
import type { Page } from 'playwright-core'
import { type Browser, openBrowser } from '../../../sdk/test/support/browser.ts'
import { startTestService, type TestService } from '../../../server/test/support/service/service.ts'

export const PASSWORD = 'a password of some length'
const MODELS = fileURLToPath(new URL('../../../models', import.meta.url))
const SAMPLES = join(MODELS, 'samples')

export interface Site extends TestService {
  browser(clip?: string): Promise<Browser>
  /** A one-use link that makes its opener an operator; with credit, one who has an account, too. */
  operatorLink(email: string, creditSeconds?: number): Promise<string>
  stop(): Promise<void>
}

export async function startSite(env: Readonly<Record<string, string>> = {}): Promise<Site> {
  const service = await startTestService({ env: { SAUTI_JOINS_PER_HOUR: '1000', ...env } })
  const browsers: Browser[] = []
  return {
    ...service,
    async browser(clip) {
      const opened = await openBrowser({ service, ...(clip !== undefined && { clip }) })
      browsers.push(opened)
      return opened
    },
    async operatorLink(email, creditSeconds) {
      const now = new Date()
      const accountId = creditSeconds === undefined ? null : randomUUID()
      const { link } = await service.database.transaction(async tx => {
        if (accountId !== null)
          await createAccount(tx, { id: accountId, name: 'Clinic', creditMs: creditSeconds! * 1000, now })
        const order = { id: randomUUID(), email, name: 'An operator', accountId, now }
        const rights = { operatorRole: 'owner', actor: COMMAND_LINE } as const
        return createOperator(tx, { ...order, ...rights, publicUrl: service.baseUrl })
      })
      return link.url
    },
    async stop() {
      await Promise.all(browsers.map(browser => browser.close()))
      await service.stop()
    },
  }
}

export interface SpokenClip {
  readonly path: string
  readonly durationMs: number
  /** What is said in it. */
  readonly words: string
}

const WAV_HEADER_BYTES = 44
const BYTES_PER_MS = 32

/** A bundled Kikuyu recording as a microphone hears it: somebody presses the button, draws breath, then speaks. */
export function prepareSpokenClip(): SpokenClip {
  return writeClip(1, 1_000)
}

/** Two recordings, each with a pause behind it that ends a sentence. */
export function prepareSpokenSentences(): SpokenClip {
  return writeClip(2, 3_000)
}

function writeClip(sentences: number, pauseMs: number): SpokenClip {
  const lines = readFileSync(join(SAMPLES, 'transcripts.tsv'), 'utf8').trim().split('\n')
  const rows = lines.filter(line => line.startsWith('kikuyu')).slice(0, sentences)
  const spoken = rows.map(row => readFileSync(join(SAMPLES, row.split('\t')[0]!)))
  const pause = Buffer.alloc(pauseMs * BYTES_PER_MS)
  const sounds = spoken.flatMap(recorded => [recorded.subarray(WAV_HEADER_BYTES), pause])
  const pcm = Buffer.concat([Buffer.alloc(1500 * BYTES_PER_MS), ...sounds])
  const header = Buffer.from(spoken[0]!.subarray(0, WAV_HEADER_BYTES))
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + pcm.length, 4)
  header.writeUInt32LE(pcm.length, WAV_HEADER_BYTES - 4)
  const path = join(mkdtempSync(join(tmpdir(), 'sauti-clip-')), 'clip.wav')
  writeFileSync(path, Buffer.concat([header, pcm]))
  const words = rows.map(row => row.split('\t')[3]!).join(' ')
  return { path, durationMs: pcm.length / BYTES_PER_MS, words }
}

export const REAL_MODELS = { SAUTI_MODELS_DIR: MODELS }

/** Every script error and every breach of the content security policy that the page reports. */
export function collectProblems(page: Page, problems: string[] = []): string[] {
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => {
    // A refused request is reported by the browser, too; the pages tell it in their own words.
    const isRefusal = /Failed to load resource/.test(message.text())
    if (message.type() === 'error' && !isRefusal) problems.push(message.text())
  })
  return problems
}

/** A request as the page itself would send it. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
export function callFrom(page: Page, method: string, path: string, body?: object): Promise<any> {
  return page.evaluate(
    async ([verb, address, content]) => {
      const options = content ? { body: content, headers: { 'content-type': 'application/json' } } : {}
      const answer = await fetch(address!, { method: verb!, ...options })
      return answer.status === 204 ? undefined : answer.json()
    },
    [method, `/console/api${path}`, body && JSON.stringify(body)] as const,
  )
}

export async function choosePassword(page: Page, link: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(link)
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Save and sign in' }).click()
  await page.waitForURL(/\/(app|operator)$/)
}
