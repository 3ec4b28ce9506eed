// A certificate that is renewed is used without a restart: the files are read again from time to time, and connections that come
// after a change get the new one. A file that is wrong is reported, and the certificate in use stays.

import type { SecureContextOptions } from 'node:tls'
import type { Logger } from 'pino'
import { type Repetition, repeat } from '../repeat.ts'
import { loadTls, type Tls, type TlsConfig } from './tls.ts'

interface WatchParts {
  readonly config: TlsConfig
  readonly intervalMs: number
  readonly inUse: Tls
  readonly server: { setSecureContext(options: SecureContextOptions): void }
  readonly log: Logger
}

export function watchCertificate({ config, intervalMs, inUse, server, log }: WatchParts): Repetition {
  let { cert, key } = inUse
  const look = async () => {
    const found = await loadTls(config, new Date())
    if (found === undefined || (found.cert === cert && found.key === key)) return
    server.setSecureContext({ cert: found.cert, key: found.key })
    ;({ cert, key } = found)
    log.info('the certificate was replaced')
  }
  return repeat(look, {
    intervalMs,
    onError: error => log.error({ err: error }, 'the certificate was not replaced; the one in use stays'),
  })
}
