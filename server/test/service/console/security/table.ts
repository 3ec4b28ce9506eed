// What each role gets from each route of the console.

import { randomUUID } from 'node:crypto'
import { Authenticator } from '../../../support/console/authenticator.ts'
import { KIKUYU } from '../../../support/service/control-plane.ts'

/** Somebody else, whose account the routes try to read and to change. */
export interface Victim {
  readonly accountId: string
  readonly keyId: string
  readonly userId: string
}

export type Role = 'visitor' | 'developer' | 'operator'
type Row = [method: string, path: (victim: Victim) => string, answers: Record<Role, number>, body?: unknown]

/** What each role gets from each route: a status. Every route of the console must be here. */
export const ROUTES: readonly Row[] = [
  ['GET', () => '/me', { visitor: 401, developer: 200, operator: 200 }],
  ['PATCH', () => '/me', { visitor: 401, developer: 200, operator: 200 }, { name: 'Somebody' }],
  [
    'POST',
    () => '/password',
    { visitor: 401, developer: 400, operator: 400 },
    { current_password: 'wrong', new_password: 'long enough 1' },
  ],
  ['POST', () => '/me/delete', { visitor: 401, developer: 400, operator: 400 }, { password: 'wrong' }],
  ['GET', () => '/usage', { visitor: 401, developer: 200, operator: 403 }],
  ['GET', () => '/keys', { visitor: 401, developer: 200, operator: 403 }],
  ['POST', () => '/keys', { visitor: 401, developer: 201, operator: 403 }, { name: 'mine' }],
  [
    'PATCH',
    victim => `/keys/${victim.keyId}`,
    { visitor: 401, developer: 404, operator: 403 },
    { name: 'n' },
  ],
  ['POST', victim => `/keys/${victim.keyId}/rotate`, { visitor: 401, developer: 404, operator: 403 }, {}],
  ['DELETE', victim => `/keys/${victim.keyId}`, { visitor: 401, developer: 404, operator: 403 }],
  [
    'POST',
    () => '/playground/sessions',
    { visitor: 401, developer: 201, operator: 403 },
    { model: KIKUYU, max_audio_seconds: 1 },
  ],
  ['GET', () => '/operator/waitlist', { visitor: 401, developer: 403, operator: 200 }],
  [
    'POST',
    () => `/operator/waitlist/${randomUUID()}/approve`,
    { visitor: 401, developer: 403, operator: 409 },
    { credit_seconds: 60 },
  ],
  [
    'POST',
    () => `/operator/waitlist/${randomUUID()}/decline`,
    { visitor: 401, developer: 403, operator: 409 },
  ],
  ['GET', () => '/operator/accounts', { visitor: 401, developer: 403, operator: 200 }],
  [
    'GET',
    victim => `/operator/accounts/${victim.accountId}`,
    { visitor: 401, developer: 403, operator: 200 },
  ],
  [
    'PATCH',
    victim => `/operator/accounts/${victim.accountId}`,
    { visitor: 401, developer: 403, operator: 200 },
    { concurrency_limit: 1 },
  ],
  [
    'POST',
    victim => `/operator/accounts/${victim.accountId}/credits`,
    { visitor: 401, developer: 403, operator: 200 },
    { seconds: 1, note: 'n' },
  ],
  [
    'POST',
    victim => `/operator/users/${victim.userId}/password-link`,
    { visitor: 401, developer: 403, operator: 200 },
  ],
  ['POST', () => '/sign-in/code', { visitor: 400, developer: 400, operator: 400 }, { code: '1' }],
  ['POST', () => '/sign-in/passkey/begin', { visitor: 200, developer: 200, operator: 200 }],
  [
    'POST',
    () => '/sign-in/passkey',
    { visitor: 401, developer: 401, operator: 401 },
    { response: new Authenticator().get({ challenge: 'x' }) },
  ],
  ['POST', () => '/passkeys/begin', { visitor: 401, developer: 200, operator: 200 }],
  [
    'POST',
    () => '/passkeys',
    { visitor: 401, developer: 400, operator: 400 },
    { name: 'n', response: new Authenticator().create({ challenge: 'x' }) },
  ],
  ['GET', () => '/passkeys', { visitor: 401, developer: 200, operator: 200 }],
  [
    'PATCH',
    () => `/passkeys/${randomUUID()}`,
    { visitor: 401, developer: 404, operator: 404 },
    { name: 'n' },
  ],
  ['DELETE', () => `/passkeys/${randomUUID()}`, { visitor: 401, developer: 404, operator: 404 }],
  // Only where a provider is set: see organisation.test.ts.
  ['POST', () => '/sign-in/organisation', { visitor: 404, developer: 404, operator: 404 }],
  ['GET', () => '/sign-in/organisation/callback', { visitor: 404, developer: 404, operator: 404 }],
  ['POST', () => '/one-time-codes/begin', { visitor: 401, developer: 400, operator: 400 }, { password: 'x' }],
  ['POST', () => '/one-time-codes/finish', { visitor: 401, developer: 400, operator: 400 }, { code: '1' }],
  ['POST', () => '/one-time-codes/end', { visitor: 401, developer: 400, operator: 400 }, { password: 'x' }],
  ['GET', () => '/sign-ins', { visitor: 401, developer: 200, operator: 200 }],
  ['DELETE', () => `/sign-ins/${randomUUID()}`, { visitor: 401, developer: 404, operator: 404 }],
  ['POST', () => '/confirm', { visitor: 401, developer: 400, operator: 400 }, { password: 'wrong' }],
  ['GET', () => '/sessions', { visitor: 401, developer: 200, operator: 403 }],
  ['GET', () => '/sessions.csv', { visitor: 401, developer: 200, operator: 403 }],
  ['DELETE', () => `/sessions/${randomUUID()}`, { visitor: 401, developer: 404, operator: 403 }],
  ['GET', () => '/operator/nodes', { visitor: 401, developer: 403, operator: 200 }],
  ['GET', () => '/operator/sessions', { visitor: 401, developer: 403, operator: 200 }],
  ['GET', () => '/operator/health', { visitor: 401, developer: 403, operator: 200 }],
  ['GET', () => '/operator/audit', { visitor: 401, developer: 403, operator: 200 }],
  ['GET', () => '/operator/audit.jsonl', { visitor: 401, developer: 403, operator: 200 }],
  ['GET', () => '/operator/operators', { visitor: 401, developer: 403, operator: 200 }],
  [
    'POST',
    () => '/operator/operators',
    { visitor: 401, developer: 403, operator: 201 },
    { email: `${randomUUID()}@x.test`, name: 'n', role: 'auditor' },
  ],
  [
    'PATCH',
    () => `/operator/operators/${randomUUID()}`,
    { visitor: 401, developer: 403, operator: 404 },
    { role: 'auditor' },
  ],
  ['DELETE', () => `/operator/operators/${randomUUID()}`, { visitor: 401, developer: 403, operator: 404 }],
  [
    'POST',
    () => `/operator/users/${randomUUID()}/end-sign-ins`,
    { visitor: 401, developer: 403, operator: 404 },
  ],
  ['GET', () => '/application', { visitor: 200, developer: 200, operator: 200 }],
  ['DELETE', () => '/application', { visitor: 204, developer: 204, operator: 204 }],
  [
    'POST',
    () => '/waitlist',
    { visitor: 202, developer: 202, operator: 202 },
    { name: 'n', email: `${randomUUID()}@x.test`, organisation: '', use: 'u' },
  ],
  [
    'POST',
    () => '/sign-in',
    { visitor: 401, developer: 401, operator: 401 },
    { email: 'victim@people.test', password: 'wrong' },
  ],
  [
    'POST',
    () => '/forgot-password',
    { visitor: 202, developer: 202, operator: 202 },
    { email: 'victim@people.test' },
  ],
  [
    'POST',
    () => '/set-password',
    { visitor: 400, developer: 400, operator: 400 },
    { token: 'no such', password: 'long enough 1' },
  ],
  ['GET', () => '/demo/clips', { visitor: 200, developer: 200, operator: 200 }],
  ['GET', () => '/demo/clips/none/audio', { visitor: 404, developer: 404, operator: 404 }],
  ['GET', () => '/demo/clips/none/transcript', { visitor: 404, developer: 404, operator: 404 }],
  ['POST', () => '/check-link', { visitor: 400, developer: 400, operator: 400 }, { token: 'no such' }],
  ['GET', () => '/features', { visitor: 200, developer: 200, operator: 200 }],
  ['GET', () => '/sessions', { visitor: 401, developer: 200, operator: 403 }],
  ['GET', () => '/sessions.csv', { visitor: 401, developer: 200, operator: 403 }],
  ['DELETE', () => `/sessions/${randomUUID()}`, { visitor: 401, developer: 404, operator: 403 }],
  [
    'GET',
    () => '/usage/report?from=2026-01-01&to=2026-01-02',
    { visitor: 401, developer: 200, operator: 403 },
  ],
  ['GET', () => '/credit-requests', { visitor: 401, developer: 200, operator: 403 }],
  ['POST', () => '/credit-requests', { visitor: 401, developer: 202, operator: 403 }, { note: 'more' }],
  ['GET', () => '/team', { visitor: 401, developer: 200, operator: 403 }],
  [
    'POST',
    () => '/team',
    { visitor: 401, developer: 201, operator: 403 },
    { name: 'n', email: 'victim@people.test', role: 'member' },
  ],
  ['DELETE', victim => `/team/${victim.userId}`, { visitor: 401, developer: 404, operator: 403 }],
  ['GET', () => '/operator/badge', { visitor: 401, developer: 403, operator: 200 }],
  ['GET', () => '/operator/credit-requests', { visitor: 401, developer: 403, operator: 200 }],
  [
    'POST',
    () => `/operator/credit-requests/${randomUUID()}/grant`,
    { visitor: 401, developer: 403, operator: 409 },
    { seconds: 1 },
  ],
  [
    'POST',
    () => `/operator/credit-requests/${randomUUID()}/dismiss`,
    { visitor: 401, developer: 403, operator: 409 },
  ],
  ['GET', () => '/operator/all-sessions', { visitor: 401, developer: 403, operator: 200 }],
  [
    'POST',
    () => '/operator/accounts',
    { visitor: 401, developer: 403, operator: 409 },
    { name: 'n', person: 'p', email: 'victim@people.test', credit_seconds: 1 },
  ],
  // The operator's last one: the operator has an account from then on.
  ['POST', () => '/operator/my-account', { visitor: 401, developer: 403, operator: 201 }],
  ['POST', () => '/sign-ins/end-all', { visitor: 401, developer: 204, operator: 204 }],
  ['POST', () => '/sign-out', { visitor: 204, developer: 204, operator: 204 }],
]
