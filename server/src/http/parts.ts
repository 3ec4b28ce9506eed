// What the HTTP part is given to stand on. `service.ts` puts it together.

import type { ModelId } from '@sauti/protocol/models'
import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Database } from '../db/port.ts'

export type HttpSettings = Pick<
  Config,
  'sessionCreationsPerMinute' | 'usageReadsPerMinute' | 'modelListsPerMinute' | 'trustedProxies'
>

export interface HttpParts {
  readonly db: Database
  /** Of the recogniser, only what it could take on now. */
  readonly recogniser: { readonly models: readonly ModelId[]; readonly capacity: number }
  readonly settings: HttpSettings
  /** How clients reach the service, always https. A question, because with port 0 it is known only while listening. */
  readonly publicUrl: () => string
  /** Certificate chain and key in PEM; undefined behind a proxy that ends TLS. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** From deriveCredentialKey. */
  readonly credentialKey: Buffer
  readonly nodeId: string
  readonly isDraining: () => boolean
  readonly clock: () => Date
  readonly newId: () => string
  readonly log: FastifyBaseLogger
  readonly metrics: Registry
}
