// What the console's server half stands on, besides what all of HTTP stands on.

import type { Config } from '../../config.ts'
import type { Recogniser } from '../../recogniser/port.ts'
import type { HttpParts, HttpSettings } from '../parts.ts'
import type { Auth } from './auth.ts'
import type { Mailer } from './mail.ts'

export type ConsoleSettings = HttpSettings &
  Pick<Config, 'signInFailures' | 'joinsPerHour' | 'demoStreams' | 'databaseUrl' | 'modelsDir'>

export interface ConsoleParts extends HttpParts {
  readonly settings: ConsoleSettings
  readonly recogniser: Recogniser
  readonly auth: Auth
  /** Undefined where no mail server is set: operators then hand links over themselves. */
  readonly mailer: Mailer | undefined
}
