// The control plane as a test drives it: the real app on a real socket and a real database. Held by the test: the clock, what
// the recogniser could carry, and the draining flag.

import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MODEL_IDS, type ModelId } from '@sauti/protocol/models'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll } from 'vitest'
import type { Database } from '#server/db/port.js'
import { buildApp, type NotFoundPage } from '#server/http/app.js'
import type { HttpParts, HttpSettings } from '#server/http/parts.js'
import { createAddressReader, createClientReader } from '#server/network/client-address.js'
import { ReturnTimes } from '#server/nodes/return-times.js'
import { deriveCredentialKeys } from '#server/sessions/credential.js'
import { openTestDatabase } from '../database/database.ts'
import { expectBalance } from '../database/ledger.ts'
import { registerTestNode } from '../database/nodes.ts'
import { type Customer, type CustomerOptions, createCustomer } from './customer.ts'

export const KIKUYU = 'svc-asr-kikuyu-v1'
export const DHOLUO = 'svc-asr-dholuo-v1'
export const PUBLIC_URL = 'https://sauti.test'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
  readonly json: any
}

interface Call {
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
}

export interface ControlPlane {
  readonly db: Database
  readonly nodeId: string
  readonly port: number
  readonly recogniser: { models: ModelId[]; capacity: number; heldBack: number }
  /** Everything that was logged, line by line. */
  readonly logLines: readonly string[]
  now: Date
  draining: boolean
  /** Sessions; the pace at which those who are refused may come back. */
  endedLastMinute: number
  /** Thrown by every query while it is set. */
  databaseFault: Error | undefined
  call(path: string, call?: Call): Promise<Answer>
  post(customer: Customer, body: unknown, headers?: Record<string, string>): Promise<Answer>
  customer(options?: CustomerOptions): Promise<Customer>
  close(): Promise<void>
}

const RATES = { sessionCreationsPerMinute: 60, usageReadsPerMinute: 120, modelListsPerMinute: 300 }

/** Adds further routes to the app of the control plane. */
export type Extend = (app: ReturnType<typeof buildApp>, parts: HttpParts) => void

interface Extensions {
  readonly trustedProxies?: readonly string[] | undefined
  readonly notFoundPage?: NotFoundPage
  readonly extend?: Extend
  readonly rest?: HttpParts['rest']
}

export async function startControlPlane(
  rates: Partial<HttpSettings> = {},
  { trustedProxies, notFoundPage, extend, rest }: Extensions = {},
): Promise<ControlPlane> {
  const { database: db, close: closeDatabase } = await openTestDatabase()
  const logLines: string[] = []
  const nodeId = randomUUID()
  const recogniser = { models: [...MODEL_IDS], capacity: 1000, heldBack: 0 }
  const parts: HttpParts = {
    db: {
      ...db,
      query: (sql, params) =>
        plane.databaseFault ? Promise.reject(plane.databaseFault) : db.query(sql, params),
    },
    recogniser,
    settings: { ...RATES, securityContact: undefined, ...rates },
    clientOf: createClientReader(trustedProxies),
    addressOf: createAddressReader(trustedProxies),
    publicUrl: () => PUBLIC_URL,
    tls: undefined,
    credentialKeys: deriveCredentialKeys(['a secret that only the test knows']),
    node: {
      ...(await registerTestNode(db, { url: PUBLIC_URL, id: nodeId })),
      returns: new ReturnTimes(() => plane.endedLastMinute),
    },
    isDraining: () => plane.draining,
    clock: () => plane.now,
    newId: randomUUID,
    log: pino({ level: 'trace' }, { write: line => void logLines.push(line) }),
    metrics: new Registry(),
    ...(rest && { rest }),
  }
  const app = buildApp(parts, notFoundPage)
  extend?.(app, parts)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const plane: ControlPlane = {
    db,
    nodeId,
    port,
    recogniser,
    logLines,
    now: new Date(),
    draining: false,
    endedLastMinute: 0,
    databaseFault: undefined,
    call: (path, call) => callOnce(port, path, call),
    post: (customer, body, headers) =>
      plane.call('/v1/asr/sessions', {
        method: 'POST',
        headers: { ...bearer(customer), 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    customer: options => createCustomer(db, plane.now, options),
    async close() {
      await app.close()
      await closeDatabase()
    },
  }
  return plane
}

/** For the tests of one file: closed after the last of them. The ledger must balance then, whatever they did. */
export async function openControlPlane(
  ...options: Parameters<typeof startControlPlane>
): Promise<ControlPlane> {
  const plane = await startControlPlane(...options)
  afterAll(async () => {
    await expectBalance(plane.db)
    await plane.close()
  })
  return plane
}

export function bearer({ key }: Pick<Customer, 'key'>): { authorization: string } {
  return { authorization: `Bearer ${key}` }
}

/** Node's own client, because a test must be able to send what a polite one would not. */
function callOnce(port: number, path: string, { method = 'GET', headers, body }: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers }, incoming => {
      const chunks: Buffer[] = []
      incoming.on('data', chunk => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = incoming.headers['content-type']?.startsWith('application/json') && text !== ''
        resolve({
          status: incoming.statusCode!,
          headers: incoming.headers,
          text,
          json: isJson ? JSON.parse(text) : undefined,
        })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
