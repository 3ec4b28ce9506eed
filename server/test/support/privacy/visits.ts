// People who sign in, and requests that are refused.

import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { COMMAND_LINE } from '#server/accounts/audit.js'
import { createOperator } from '#server/accounts/operators.js'
import type { Answer } from '../service/https.ts'
import { JSON_BODY, MODEL, type Subject } from './subject.ts'

const secret = (word: string) => `${word}-${randomBytes(12).toString('hex')}`

class Visitor {
  readonly #subject: Subject
  readonly #cookies = new Map<string, string>()

  constructor(subject: Subject) {
    this.#subject = subject
  }

  async call(path: string, body: object): Promise<Answer> {
    const cookie = [...this.#cookies].map(pair => pair.join('=')).join('; ')
    const answer = await this.#subject.call(
      'POST',
      `/console/api${path}`,
      { ...JSON_BODY, origin: this.#subject.url, cookie },
      JSON.stringify(body),
    )
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = line.split(';')[0]!.split('=', 2)
      this.#cookies.set(name, value)
    }
    return answer
  }

  get secrets(): [string, string][] {
    return [...this.#cookies].filter(([name]) => /session_token|device/.test(name))
  }
}

export async function signIn(subject: Subject): Promise<void> {
  const { database, url } = subject
  const email = `${randomUUID()}@operators.test`
  const operator = {
    id: randomUUID(),
    email,
    name: 'An operator',
    operatorRole: 'owner' as const,
    accountId: null,
    actor: COMMAND_LINE,
    publicUrl: url,
    now: new Date(),
  }
  const { link } = await database.transaction(tx => createOperator(tx, operator))
  const token = new URL(link.url).hash.slice(1)
  const passwords = { right: secret('password'), wrong: secret('wrong') }
  for (const [name, text] of Object.entries({ token, ...passwords })) subject.plant(`console ${name}`, text)
  const visitor = new Visitor(subject)
  await visitor.call('/sign-in', { email, password: passwords.wrong })
  await visitor.call('/set-password', { token: `${token.slice(0, -1)}x`, password: passwords.right })
  expect((await visitor.call('/set-password', { token, password: passwords.right })).status).toBe(200)
  expect((await visitor.call('/sign-in', { email, password: passwords.wrong })).status).toBe(401)
  expect((await visitor.call('/sign-in', { email, password: passwords.right })).status).toBe(200)
  await visitor.call('/change-password', { current_password: passwords.wrong, new_password: secret('other') })
  // The database keeps the token of a sign-in. A cookie is valid only with the signature at its end, which is stored nowhere.
  for (const [name, value] of visitor.secrets) {
    const cookie = decodeURIComponent(value)
    subject.plant(`cookie ${name}`, cookie)
    subject.plant(`signature of ${name}`, cookie.slice(cookie.indexOf('.') + 1))
  }
}

export async function makeMistakes(subject: Subject): Promise<void> {
  const { customer, bearer, canaries, phrase, url } = subject
  const unknown = `svc_live_v1_${randomBytes(24).toString('hex')}`
  subject.plant('a key of nobody', unknown.replace('svc_live_v1_', ''))
  const credential = Buffer.from(canaries.credential!).toString()
  const requests: [string, string, Record<string, string>, string?][] = [
    ['GET', '/v1/usage', { authorization: `Bearer ${unknown}` }],
    ['GET', `/v1/usage?key=${customer.key}`, {}],
    ['GET', `/${encodeURIComponent(phrase)}?q=${encodeURIComponent(phrase)}`, {}],
    ['POST', '/v1/asr/sessions', { ...bearer, ...JSON_BODY }, `{"${phrase}"`],
    ['POST', '/v1/asr/sessions', { ...bearer, ...JSON_BODY }, JSON.stringify({ model: phrase })],
    [
      'POST',
      '/v1/asr/sessions',
      { ...bearer, ...JSON_BODY },
      JSON.stringify({ model: MODEL, [phrase]: phrase }),
    ],
    ['POST', '/v1/asr/sessions', { ...bearer, 'content-type': 'text/plain', 'x-note': credential }, phrase],
    [
      'GET',
      `/v1/asr/stream?credential=${credential}`,
      { 'sec-websocket-protocol': `svc.realtime.v1, svc.auth.${credential}` },
    ],
    [
      'POST',
      '/console/api/sign-in',
      { ...JSON_BODY, origin: url },
      JSON.stringify({ email: phrase, password: phrase }),
    ],
  ]
  for (const [method, path, headers, body] of requests) await subject.call(method, path, headers, body)
}
