// What the HTTP part is given to stand on. `service.ts` puts it together.

import type { ModelId } from '@sauti/protocol/models'
import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import type { Database } from '../db/port.ts'

export interface HttpSettings {
  /** How clients reach the service, always https; `websocket_url` is derived from it. */
  readonly publicUrl: string
  /** Certificate and key in PEM; absent behind a proxy that ends TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** Whether X-Forwarded-For tells the client's address: only behind one's own proxy. */
  readonly trustProxy: boolean
  readonly sessionsPerMinute: number
  readonly usageReadsPerMinute: number
  readonly modelListsPerMinute: number
}

export interface HttpParts {
  readonly db: Database
  /** Of the recogniser, only what it could take on now. */
  readonly recogniser: { readonly models: readonly ModelId[]; readonly capacity: number }
  readonly settings: HttpSettings
  /** From deriveCredentialKey. */
  readonly credentialKey: Buffer
  readonly nodeId: string
  readonly isDraining: () => boolean
  readonly clock: () => Date
  readonly newId: () => string
  readonly log: FastifyBaseLogger
  readonly metrics: Registry
}
