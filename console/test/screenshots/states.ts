// Pages whose data nobody can wait for: credit that runs low, many nodes, long names, nothing at all, a server that fails. The
// page is real; its answers are made up.

import type { Page } from 'playwright-core'
import { callFrom } from '../support/site.ts'
import type { Moment } from './moments.ts'

const LONG_NAME = 'Kenya Agricultural and Livestock Research Organisation, Kakamega'
const LONG_MAIL = 'wanjiku.wa-kamau.transcription-services@agriculture-research.example.org'
const FAILURE = { error: { code: 'internal_error', message: 'Something went wrong on our side. Try again.' } }

export const STATES: readonly Moment[] = [
  answering('state-credit-low', '/app', {
    '/usage': change({ available_ms: 45_000, reserved_ms: 0, consumed_ms: 3_555_000 }),
    '/credit-requests': replace({ waiting: false }),
  }),
  answering('state-credit-asked', '/app', {
    '/usage': change({ available_ms: 0, reserved_ms: 0, consumed_ms: 3_600_000 }),
    '/credit-requests': replace({ waiting: true }),
  }),
  answering('state-app-failed', '/app', { '/usage': fail, '/usage/report**': fail }),
  answering('state-keys-failed', '/app/keys', { '/keys': fail }),
  answering('state-no-account', '/app', { '/me': change({ account: null }) }),
  answering('state-inactive', '/app', { '/me': deactivate }),
  answering('state-waitlist-empty', '/operator', {
    '/operator/waitlist**': replace({ data: [], next_cursor: null }),
    '/operator/credit-requests**': replace({ data: [], next_cursor: null }),
  }),
  answering('state-audit-failed', '/operator/audit', { '/operator/audit**': fail }),
  answering('state-audit-long', '/operator/audit', { '/operator/audit**': lengthenAudit }),
  answering('state-nodes', '/operator/health', { '/operator/nodes': replace({ data: makeNodes() }) }),
]

type Original = () => Promise<unknown>
type Answered = Promise<{ status: number; body: unknown }>
type Answer = (original: Original) => Answered

function answering(name: string, path: string, answers: Readonly<Record<string, Answer>>): Moment {
  return {
    name,
    path,
    prepare: page => answer(page, answers),
    reach: async () => undefined,
  }
}

/** Asks for the original before, from whatever page is open: the browser knows whom to trust and who is signed in. */
async function answer(page: Page, answers: Readonly<Record<string, Answer>>): Promise<void> {
  for (const [path, make] of Object.entries(answers)) {
    const { status, body } = await make(() => callFrom(page, 'GET', path.replace('**', '')))
    await page.route(`**/console/api${path}`, route =>
      route.request().method() === 'GET' ? route.fulfill({ status, json: body }) : route.continue(),
    )
  }
}

function replace(body: unknown): Answer {
  return async () => ({ status: 200, body })
}

function change(fields: object): Answer {
  return async original => ({ status: 200, body: { ...((await original()) as object), ...fields } })
}

async function fail(): Answered {
  return { status: 500, body: FAILURE }
}

async function deactivate(original: Original): Answered {
  const me = (await original()) as { account: object }
  return { status: 200, body: { ...me, account: { ...me.account, active: false } } }
}

async function lengthenAudit(original: Original): Answered {
  const { data } = (await original()) as { data: object[] }
  const long = { operator: LONG_MAIL, target: LONG_MAIL, target_name: LONG_NAME }
  const details = {
    seconds: 3600,
    note: 'For the recordings of the farmers’ meetings in Kakamega and Bungoma',
  }
  return {
    status: 200,
    body: { data: data.map(entry => ({ ...entry, ...long, details })), next_cursor: 'x' },
  }
}

function makeNodes(): object[] {
  const states = ['ready', 'ready', 'draining', 'gone']
  return states.map((state, at) => ({
    id: `0b5f9c1${at}-2f0e-4a52-9d3e-5f2f6b1e7a0${at}`,
    version: '0.2.0',
    url: at === 3 ? null : `wss://node-${at + 1}.speech.agriculture-research.example.org/v1/asr/stream`,
    state,
    models: ['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'],
    capacity: 47,
    open_streams: [12, 47, 3, 0][at],
    sessions: [12, 47, 3, 0][at],
    silent_ms: [900, 1400, 2100, 7_260_000][at],
    started_at: '2026-11-14T08:00:00.000Z',
  }))
}
