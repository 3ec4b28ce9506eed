// What every part of the service is given.

import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { CookieSecrets } from '../http/console/auth/cookie-secrets.ts'
import type { Membership } from '../nodes/membership.ts'
import type { SharedRates } from '../nodes/shared-rates.ts'
import type { CredentialKeys } from '../sessions/credential.ts'
import type { Config } from '../settings/config.ts'

export interface Basis {
  readonly config: Config
  readonly log: Logger
  readonly metrics: Registry
  readonly node: Membership
  /** The database's time. */
  readonly clock: () => Date
  /** Of accounts, over all nodes. */
  readonly sharedRates: SharedRates
  readonly credentialKeys: CredentialKeys
  readonly cookieSecrets: CookieSecrets
  readonly isDraining: () => boolean
}
