// What the routes of the console are built from, besides what all of HTTP is.

import type { Recogniser } from '../../recogniser/port.ts'
import type { Config } from '../../settings/config.ts'
import type { HttpParts, HttpSettings } from '../parts.ts'
import type { Auth } from './auth/auth.ts'
import type { PasswordCheck } from './auth/common-passwords.ts'
import type { Organisation } from './auth/organisation/organisation.ts'
import type { Mailer } from './mail.ts'
import type { Devices } from './sign-in/device.ts'

export type ConsoleSettings = HttpSettings &
  Pick<
    Config,
    | 'tls'
    | 'tlsCert'
    | 'signInFailures'
    | 'oidcName'
    | 'supportGrantSeconds'
    | 'creditWatchSeconds'
    | 'joinsPerHour'
    | 'demoStreams'
    | 'databaseUrl'
    | 'sourceUrl'
    | 'modelsDir'
  >

export interface ConsoleParts extends HttpParts {
  readonly settings: ConsoleSettings
  readonly recogniser: Recogniser
  readonly auth: Auth
  /** Undefined where no provider of an organisation is set. */
  readonly organisation: Organisation | undefined
  readonly devices: Devices
  /** Throws for a password that nobody should choose. */
  readonly checkNewPassword: PasswordCheck
  /** Undefined where no mail server is set: operators then hand links over themselves. */
  readonly mailer: Mailer | undefined
}
