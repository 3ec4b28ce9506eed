// The console as a test drives it: the control plane with the console on it, and browsers that keep their cookies.

import { randomUUID } from 'node:crypto'
import { createOperator } from '#server/accounts/operators.js'
import { createAuth, deriveCookieSecret } from '#server/http/console/auth.js'
import type { Mailer } from '#server/http/console/mail.js'
import type { ConsoleSettings } from '#server/http/console/parts.js'
import { serveConsole } from '#server/http/console/serve.js'
import type { Recogniser } from '#server/recogniser/port.js'
import { type Answer, type ControlPlane, PUBLIC_URL, startControlPlane } from './control-plane.ts'

export const API = '/console/api'

export interface Browser {
  readonly cookies: Map<string, string>
  /** As a page of our own calls: with the cookies and the origin. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface Console extends ControlPlane {
  /** Every route, as `METHOD /path`. */
  readonly routes: readonly string[]
  browser(): Browser
  /** A signed-in operator. */
  operator(email?: string): Promise<Browser>
  /** Joins, is approved and signed in. */
  developer(email?: string): Promise<Developer>
}

export interface Developer extends Browser {
  readonly email: string
  readonly accountId: string
}

export const PASSWORD = 'korrect horse battery'

interface Options {
  readonly settings?: Partial<ConsoleSettings>
  readonly mailer?: Mailer
}

export async function startConsole({ settings = {}, mailer }: Options = {}): Promise<Console> {
  const routes: string[] = []
  const plane = await startControlPlane({}, (app, parts) => {
    app.addHook(
      'onRoute',
      ({ method, url }) => void routes.push(...[method].flat().map(one => `${one} ${url}`)),
    )
    const idle = {
      openStreams: 0,
      lookAheads: () => [13, 6, 3, 0],
      open: async () => never(),
      close: async () => undefined,
    }
    serveConsole(app, {
      ...parts,
      recogniser: Object.assign(parts.recogniser, idle) as unknown as Recogniser,
      auth: createAuth({
        db: parts.db,
        cookieSecret: deriveCookieSecret('only the test knows'),
        newId: randomUUID,
      }),
      mailer,
      settings: {
        ...parts.settings,
        signInFailures: 1000,
        joinsPerHour: 1000,
        demoStreams: 2,
        databaseUrl: undefined,
        modelsDir: '/nowhere',
        ...settings,
      },
    })
  })
  const browser = () => createBrowser(plane)
  const operator = (email = `${randomUUID()}@operators.test`) => enterAsOperator(plane, browser(), email)
  return Object.assign(plane, {
    routes,
    browser,
    operator,
    developer: async (email = `${randomUUID()}@people.test`) =>
      enterAsDeveloper(browser(), await operator(), email),
  })
}

function never(): never {
  throw new Error('this test needs no recogniser')
}

function createBrowser(plane: ControlPlane): Browser {
  const cookies = new Map<string, string>()
  return {
    cookies,
    async call(method, path, body, headers = {}) {
      const answer = await plane.call(API + path, {
        method,
        headers: {
          cookie: [...cookies].map(pair => pair.join('=')).join('; '),
          ...(method !== 'GET' && { origin: PUBLIC_URL }),
          ...(hasBody(method) && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(hasBody(method) && { body: JSON.stringify(body ?? {}) }),
      })
      for (const line of answer.headers['set-cookie'] ?? []) keep(cookies, line)
      return answer
    },
  }
}

function hasBody(method: string): boolean {
  return method === 'POST' || method === 'PATCH'
}

function keep(cookies: Map<string, string>, line: string): void {
  const [name = '', value = ''] = line.split(';')[0]!.split('=', 2)
  if (/max-age=0/i.test(line)) cookies.delete(name)
  else cookies.set(name, value)
}

async function enterAsOperator(plane: ControlPlane, browser: Browser, email: string): Promise<Browser> {
  const { link } = await plane.db.transaction(tx =>
    createOperator(tx, {
      id: randomUUID(),
      email,
      name: 'An operator',
      accountId: null,
      publicUrl: PUBLIC_URL,
      now: plane.now,
    }),
  )
  await choosePassword(browser, link.url)
  return browser
}

async function enterAsDeveloper(browser: Browser, operator: Browser, email: string): Promise<Developer> {
  await browser.call('POST', '/waitlist', { name: 'A developer', email, organisation: '', use: 'a test' })
  const { json: waitlist } = await operator.call('GET', '/operator/waitlist')
  const { id } = waitlist.data.find((application: { email: string }) => application.email === email)
  const { json } = await operator.call('POST', `/operator/waitlist/${id}/approve`, { credit_seconds: 600 })
  await choosePassword(browser, json.link)
  return Object.assign(browser, { email, accountId: json.account_id as string })
}

export function choosePassword(browser: Browser, link: string): Promise<Answer> {
  return browser.call('POST', '/set-password', { token: new URL(link).hash.slice(1), password: PASSWORD })
}
