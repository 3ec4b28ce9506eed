// The real service behind a network that can be broken, and clients that trust its certificate.

import { WebSocket } from 'ws'
import type { FetchInit } from '#sdk/index.js'
import { type LiveSessionGrant, type LiveSessionOptions, openLiveSession, SautiClient } from '#sdk/index.js'
import { type FaultyNetwork, startFaultyNetwork } from '../../../server/test/support/faults/faulty-network.ts'
import {
  type Customer,
  type CustomerOptions,
  createCustomer,
  revokeCustomer,
} from '../../../server/test/support/service/customer.ts'
import { ask } from '../../../server/test/support/service/https.ts'
import { startTestService, type TestService } from '../../../server/test/support/service/service.ts'

export interface Bench {
  readonly service: TestService
  readonly network: FaultyNetwork
  /** Through the network. */
  readonly baseUrl: string
  client(apiKey?: string): SautiClient
  /** Past the network, straight to the service, over a connection that stays open. */
  directClient(apiKey: string): SautiClient
  customer(options?: CustomerOptions): Promise<Customer>
  /** Expires every credential at once. */
  expire(sessionId: string): Promise<void>
  revoke(customer: Pick<Customer, 'keyId'>): Promise<void>
  open(grant: LiveSessionGrant, options?: LiveSessionOptions): ReturnType<typeof openLiveSession>
  stop(): Promise<void>
}

export async function startBench(env: Record<string, string> = {}): Promise<Bench> {
  const network = await startFaultyNetwork()
  const baseUrl = `https://127.0.0.1:${network.port}`
  const service = await startTestService({ env: { SAUTI_PUBLIC_URL: baseUrl, ...env } })
  network.target = service.port
  return {
    service,
    network,
    baseUrl,
    client: apiKey => clientOf(service, baseUrl, false, apiKey),
    directClient: apiKey => clientOf(service, service.baseUrl, service.agent, apiKey),
    customer: options => createCustomer(service.database, new Date(), options),
    async expire(sessionId) {
      await service.database.query('UPDATE sessions SET expires_at = $2 WHERE id = $1', [
        sessionId,
        new Date(),
      ])
    },
    revoke: customer => revokeCustomer(service.database, new Date(), customer),
    open: (grant, options) =>
      openLiveSession(grant, {
        connect: (url, protocols) => new WebSocket(url, protocols, service),
        ...options,
      }),
    async stop() {
      await service.stop()
      await network.close()
    },
  }
}

/** `agent`: false makes a fresh connection each time, because the tests break connections. */
function clientOf(
  service: TestService,
  baseUrl: string,
  agent: TestService['agent'] | false,
  apiKey: string | undefined,
): SautiClient {
  return new SautiClient({ baseUrl, fetch: trustingFetch(service, agent), ...(apiKey ? { apiKey } : {}) })
}

/** Node's fetch takes no certificate authority. */
function trustingFetch({ ca }: TestService, agent: TestService['agent'] | false) {
  return async (url: string, { method, headers, body, signal }: FetchInit) => {
    // A form is encoded as `fetch` would.
    const encoded = new Response(body)
    const type = encoded.headers.get('content-type')
    const sent = body instanceof FormData ? { ...headers, 'content-type': type! } : headers
    const content = body ? { body: Buffer.from(await encoded.arrayBuffer()) } : {}
    const answer = await ask(url, { method, headers: sent, ca, agent, signal, ...content })
    return new Response(answer.body, {
      status: answer.status,
      headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
    })
  }
}
