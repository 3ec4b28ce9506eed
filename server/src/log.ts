// What the service says about itself. Secrets are kept out twice: by the names of the fields that carry them, and by a last
// look at the text of every line, because a message or a library's error can also contain a secret.

import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from './settings/config.ts'

const SECRET_FIELDS = ['authorization', 'cookie', 'set-cookie', 'sec-websocket-protocol', 'api_key', 'secret']

/** Fields are found at the top and up to three levels down, which covers `req.headers` inside an error. */
const REDACTED_PATHS = SECRET_FIELDS.flatMap(name =>
  ['', '*', '*.*', '*.*.*'].map(prefix => `${prefix}["${name}"]`),
)

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/svc_live_v1_[A-Za-z0-9_-]+/g, 'svc_live_v1_***'],
  [/svc\.auth\.[A-Za-z0-9._~-]+/g, 'svc.auth.***'],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]+/gi, 'Bearer ***'],
  [/(\/\/[^/\s:@"]*):[^/\s@"]+@/g, '$1:***@'],
]

export interface Log {
  readonly logger: Logger
  /** Writes what is still waiting; before the process ends. */
  flush(): void
}

export function createLog({ logLevel }: Pick<Config, 'logLevel'>): Log {
  // Not synchronous: a slow reader of the log must not hold up the streams.
  const output = pino.destination({ dest: 1, sync: false })
  return { logger: createLogger(logLevel, output), flush: () => output.flushSync() }
}

export function createLogger(level: string, output: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      redact: { paths: REDACTED_PATHS, censor: '***' },
      serializers: { err: describeError },
    },
    { write: line => output.write(maskSecrets(line)) },
  )
}

export function maskSecrets(text: string): string {
  return MASKS.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), text)
}

interface ErrorDescription {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly constraint?: string
  readonly stack?: string
  readonly cause?: ErrorDescription
}

/** Only these fields: errors of libraries carry requests, rows and whatever else. */
function describeError(error: unknown): ErrorDescription | undefined {
  if (error === undefined || error === null) return undefined
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) }
  const { name, message, stack, code, constraint } = error as Error & { code?: unknown; constraint?: unknown }
  const cause = describeError(error.cause)
  return {
    type: name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(stack !== undefined && { stack }),
    ...(cause && { cause }),
  }
}
