// Runs the service as a process: `node server/dist/main.js` and `sauti serve` are this. Signals drain it; exit codes say why it ended.

import { isDatabaseOutage } from './db/outage.ts'
import { createLog, type Log, maskSecrets } from './log.ts'
import { keepMemoryPrivate } from './private-memory.ts'
import { type Service, startService } from './service.ts'
import { ConfigError, readConfig, readNodeOptions, saveMemoryOfChildren } from './settings/config.ts'

/** As in sysexits.h: the operator has to change a setting before another start can succeed. */
const EXIT_BAD_CONFIG = 78
const EXIT_FAILED = 1

/** Resolves when the service runs. Ends the process when it cannot start, and later when it has stopped. */
export async function serve(): Promise<void> {
  // Whatever is written, by us or by a library, is for this user alone.
  process.umask(0o077)
  try {
    const config = readConfig()
    const log = createLog(config)
    const revealing = keepMemoryPrivate(readNodeOptions())
    if (revealing.length > 0) {
      log.logger.warn(
        { options: revealing },
        'options of Node can write what people say, and secrets, to disk',
      )
    }
    saveMemoryOfChildren()
    process.on('uncaughtException', error => die(log, error))
    const service = await startService(config, { log: log.logger, onFatal: error => die(log, error) })
    // Before it says that it is ready: a program that reads this may end it at once.
    stopOnSignals(log, service)
    announce(log, service)
  } catch (error) {
    process.stderr.write(`sauti: ${maskSecrets(describeStartError(error))}\n`)
    process.exit(error instanceof ConfigError ? EXIT_BAD_CONFIG : EXIT_FAILED)
  }
}

function announce({ logger }: Log, { publicUrl, port, metricsPort, authorityFile }: Service): void {
  logger.info({ publicUrl, port, metricsPort }, 'the service is ready')
  if (authorityFile === undefined) return
  logger.info(
    { authorityFile },
    `the certificate is from a local authority; trust it with NODE_EXTRA_CA_CERTS=${authorityFile} or curl --cacert ${authorityFile}`,
  )
}

function stopOnSignals(log: Log, service: Service): void {
  let stopping = false
  const stop = async (signal: NodeJS.Signals) => {
    // A second signal means: do not wait for the streams. The next start settles what they leave.
    if (stopping) process.exit(EXIT_FAILED)
    stopping = true
    log.logger.info({ signal }, 'stopping: no new sessions, running streams may finish')
    try {
      await service.stop()
    } catch (error) {
      die(log, error)
    }
    log.logger.info('stopped')
    log.flush()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
}

function die(log: Log, error: unknown): never {
  log.logger.fatal({ err: error }, 'the service cannot go on')
  log.flush()
  process.exit(EXIT_FAILED)
}

function describeStartError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, address, port } = error as Error & { code?: string; address?: string; port?: number }
  if (code === 'EADDRINUSE') return `${address} port ${port} is in use by another program`
  if (code === 'EACCES' && port !== undefined) return `not allowed to listen on ${address} port ${port}`
  if (isDatabaseOutage(error)) return `the database does not answer: ${describeOutage(error)}`
  return error.message
}

/** A name with several addresses fails once for each. */
function describeOutage(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(String).join('; ') : error.message
}
