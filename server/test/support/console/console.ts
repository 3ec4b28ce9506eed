// The console as a test drives it: the control plane with the console on it, and browsers that keep their cookies.

import { randomUUID } from 'node:crypto'
import type { OperatorRole } from '@sauti/protocol/console'
import { pino } from 'pino'
import { afterAll } from 'vitest'
import { COMMAND_LINE } from '#server/accounts/audit.js'
import { createOperator } from '#server/accounts/operators.js'
import { createAuth } from '#server/http/console/auth/auth.js'
import { openCommonPasswords } from '#server/http/console/auth/common-passwords.js'
import { deriveCookieSecrets } from '#server/http/console/auth/cookie-secrets.js'
import {
  type OrganisationConfig,
  openOrganisation,
} from '#server/http/console/auth/organisation/open-organisation.js'
import type { Mailer } from '#server/http/console/mail.js'
import type { ConsoleSettings } from '#server/http/console/parts.js'
import { serveConsole } from '#server/http/console/serve.js'
import { createDevices } from '#server/http/console/sign-in/device.js'
import { notFoundPageOf, openSite } from '#server/http/console/site/site.js'
import { INSTALLATION } from '#server/installation.js'
import type { Recogniser } from '#server/recogniser/port.js'
import {
  type Answer,
  type ControlPlane,
  type Extend,
  PUBLIC_URL,
  startControlPlane,
} from '../service/control-plane.ts'

export const API = '/console/api'

export interface Browser {
  readonly cookies: Map<string, string>
  /** As a page of our own calls: with the cookies and the origin. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface Console extends ControlPlane {
  /** Every route, as `METHOD /path`. */
  readonly routes: readonly string[]
  /** What their bodies must be, of those that have one. */
  readonly bodySchemas: ReadonlyMap<string, object>
  /** What every part of a request must be, where a route says so. */
  readonly requestSchemas: readonly RequestSchema[]
  browser(): Browser
  /** A signed-in operator. */
  operator(email?: string, role?: OperatorRole): Promise<Browser>
  /** Joins, is approved and signed in. */
  developer(email?: string): Promise<Developer>
}

interface RequestSchema {
  readonly route: string
  readonly part: (typeof REQUEST_PARTS)[number]
  readonly schema: unknown
}

const REQUEST_PARTS = ['body', 'querystring', 'params', 'headers'] as const

export interface Developer extends Browser {
  readonly email: string
  readonly accountId: string
}

export const PASSWORD = 'korrect horse battery'

const NO_ORGANISATION: OrganisationConfig = {
  oidcIssuer: undefined,
  oidcClientId: undefined,
  oidcClientSecret: undefined,
  oidcDomains: undefined,
}

interface Options {
  readonly settings?: Partial<ConsoleSettings>
  readonly mailer?: Mailer
  /** The provider of an organisation. */
  readonly organisation?: OrganisationConfig
  /** Whose X-Forwarded-For is trusted: with 127.0.0.1 a test can come from any address. */
  readonly trustedProxies?: readonly string[]
}

export async function startConsole({
  settings = {},
  mailer,
  organisation = NO_ORGANISATION,
  trustedProxies,
}: Options = {}): Promise<Console> {
  const routes: string[] = []
  const bodySchemas = new Map<string, object>()
  const requestSchemas: RequestSchema[] = []
  const cookieSecrets = deriveCookieSecrets(['only the test knows'])
  const site = openSite({
    publicUrl: () => PUBLIC_URL,
    log: pino({ enabled: false }),
    settings: { sourceUrl: settings.sourceUrl },
  })
  const extend: Extend = (app, parts) => {
    app.addHook('onRoute', ({ method, url, schema }) => {
      const names = [method].flat().map(one => `${one} ${url}`)
      routes.push(...names)
      if (schema?.body) for (const name of names) bodySchemas.set(name, schema.body)
      for (const part of REQUEST_PARTS)
        if (schema?.[part]) requestSchemas.push({ route: names.join(), part, schema: schema[part] })
    })
    const idle = {
      openStreams: 0,
      lookAheads: () => [13, 6, 3, 0],
      open: async () => never(),
      close: async () => undefined,
    }
    const consoleParts = {
      ...parts,
      recogniser: Object.assign(parts.recogniser, idle) as unknown as Recogniser,
      auth: createAuth({ ...parts, cookieSecrets }),
      organisation: openOrganisation(parts, organisation, cookieSecrets),
      devices: createDevices(cookieSecrets),
      checkNewPassword: openCommonPasswords(INSTALLATION.commonPasswords),
      mailer,
      settings: {
        ...parts.settings,
        tls: 'on' as const,
        tlsCert: undefined,
        signInFailures: 1000,
        oidcName: 'Example Clinic',
        joinsPerHour: 1000,
        supportGrantSeconds: 100,
        demoStreams: 2,
        creditWatchSeconds: 1,
        databaseUrl: undefined,
        sourceUrl: undefined,
        modelsDir: '/nowhere',
        ...settings,
      },
    }
    serveConsole(app, consoleParts, site)
  }
  const plane = await startControlPlane({}, { trustedProxies, notFoundPage: notFoundPageOf(site), extend })
  const browser = () => createBrowser(plane)
  const operator = (email = `${randomUUID()}@operators.test`, role: OperatorRole = 'owner') =>
    enterAsOperator(plane, browser(), email, role)
  // One for all developers: a password takes work on purpose.
  let approver: Promise<Browser> | undefined
  const findApprover = () => {
    approver ??= operator()
    return approver
  }
  return Object.assign(plane, {
    routes,
    bodySchemas,
    requestSchemas,
    browser,
    operator,
    developer: async (email = `${randomUUID()}@people.test`) =>
      enterAsDeveloper(browser(), await findApprover(), email),
  })
}

/** For the tests of one file: closed after the last of them. */
export async function openConsole(options?: Parameters<typeof startConsole>[0]): Promise<Console> {
  const site = await startConsole(options)
  afterAll(() => site.close())
  return site
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

async function enterAsOperator(
  plane: ControlPlane,
  browser: Browser,
  email: string,
  operatorRole: OperatorRole,
): Promise<Browser> {
  const { link } = await plane.db.transaction(tx =>
    createOperator(tx, {
      id: randomUUID(),
      email,
      name: 'An operator',
      operatorRole,
      accountId: null,
      actor: COMMAND_LINE,
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
