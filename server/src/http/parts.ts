// What the HTTP part is built from. `startup/http.ts` puts it together.

import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import type { Database } from '../db/port.ts'
import type { RecogniserRoom } from '../ledger/session-order.ts'
import type { AddressReader } from '../network/client-address.ts'
import type { NodeSeat } from '../nodes/membership.ts'
import type { SharedRates } from '../nodes/shared-rates.ts'
import type { CredentialKeys } from '../sessions/credential.ts'
import type { Config } from '../settings/config.ts'
import type { RestLimits } from './arrival.ts'

export type HttpSettings = Pick<
  Config,
  'sessionCreationsPerMinute' | 'usageReadsPerMinute' | 'modelListsPerMinute' | 'securityContact'
>

export interface HttpParts {
  readonly db: Database
  readonly recogniser: RecogniserRoom
  readonly settings: HttpSettings
  /** How clients reach the service, always https. A question, because with port 0 it is known only while listening. */
  readonly publicUrl: () => string
  /** Who counts as one client, by network address. */
  readonly clientOf: AddressReader
  /** The network address itself. */
  readonly addressOf: AddressReader
  /** Certificate chain and key in PEM; undefined behind a proxy that ends TLS. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** From deriveCredentialKeys. */
  readonly credentialKeys: CredentialKeys
  readonly node: Pick<NodeSeat, 'id' | 'isOpen' | 'lostAfterMs' | 'returns'>
  /** Rates of accounts over all nodes; without it each node has its own. */
  readonly sharedRates?: SharedRates
  /** Of a request that has its answer already; without it the limits of arrival.ts. */
  readonly rest?: RestLimits
  readonly isDraining: () => boolean
  readonly clock: () => Date
  readonly newId: () => string
  readonly log: FastifyBaseLogger
  readonly metrics: Registry
}
