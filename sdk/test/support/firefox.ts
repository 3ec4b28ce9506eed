// A real Firefox, driven with WebDriver BiDi, the protocol that every Firefox speaks by itself. Playwright's Firefox is a build of
// its own; with the one of a distribution it does not start.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { pathOf } from '../../../server/test/support/programs.ts'

export interface Firefox {
  open(url: string): Promise<void>
  /** Evaluates an expression in the page; a promise is awaited. What comes back is text. */
  read(expression: string): Promise<string>
  /** Waits until the expression is true in the page, whatever pages come in between. */
  until(expression: string): Promise<void>
  /** Gives files to the input that the selector finds, as somebody who chooses them would. */
  chooseFiles(selector: string, paths: readonly string[]): Promise<void>
  close(): Promise<void>
}

const PATIENCE_MS = 60_000
const PAUSE_MS = 100

interface Answer {
  readonly id: number
  readonly type: 'success' | 'error'
  // biome-ignore lint/suspicious/noExplicitAny: answers are as different as commands.
  readonly result?: any
  readonly message?: string
}

/** Certificate errors are ignored: the service of the test has its own authority. */
export async function openFirefox(): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'sauti-firefox-'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0']
  const browser = spawn(pathOf('firefox'), args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const socket = new WebSocket(`${await addressOf(browser)}/session`)
  await once(socket, 'open')
  const send = startCommands(socket)
  await send('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } })
  const { contexts } = await send('browsingContext.getTree', {})
  return {
    ...drive(send, contexts[0].context),
    async close() {
      await send('browser.close', {}).catch(() => browser.kill())
      if (browser.exitCode === null) await once(browser, 'exit')
      socket.terminate()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

async function addressOf(browser: ChildProcess): Promise<string> {
  for await (const line of createInterface(browser.stderr!)) {
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1]
    if (address === undefined) continue
    // Whatever else it says is read and dropped, or it would wait for a reader.
    browser.stderr!.resume()
    return address
  }
  throw new Error('Firefox ended before it listened')
}

type Send = (method: string, params: object) => Promise<NonNullable<Answer['result']>>

function startCommands(socket: WebSocket): Send {
  const waiting = new Map<number, (answer: Answer) => void>()
  let last = 0
  socket.on('message', data => {
    const answer: Answer = JSON.parse(String(data))
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  return async (method, params) => {
    const id = ++last
    const answered = new Promise<Answer>(resolve => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    const answer = await answered
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message}`)
    return answer.result
  }
}

function drive(send: Send, context: string): Omit<Firefox, 'close'> {
  const target = { context }
  const evaluate = (expression: string) =>
    send('script.evaluate', { expression, target, awaitPromise: true, userActivation: true })
  const read = async (expression: string) => {
    const { result, exceptionDetails } = await evaluate(expression)
    if (exceptionDetails) throw new Error(exceptionDetails.text)
    return String(result.value)
  }
  return {
    read,
    async open(url) {
      const navigate = () => send('browsingContext.navigate', { context, url, wait: 'complete' })
      // An earlier navigation may still be in progress and replace this one. Once it has ended, the second call stays.
      await navigate().catch(navigate)
    },
    async until(expression) {
      const deadline = Date.now() + PATIENCE_MS
      // A page that is just being left cannot be asked; the next one can.
      while ((await read(`Boolean(${expression})`).catch(String)) !== 'true') {
        if (Date.now() > deadline)
          throw new Error(`${expression} did not become true in: ${await read('document.body.innerText')}`)
        await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
      }
    },
    async chooseFiles(selector, files) {
      const { nodes } = await send('browsingContext.locateNodes', {
        context,
        locator: { type: 'css', value: selector },
      })
      await send('input.setFiles', { context, element: { sharedId: nodes[0].sharedId }, files })
    },
  }
}
