// The service as a whole: builds its parts in the order in which they need each other, and stops them in reverse.

import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import type { Database } from './db/port.ts'
import { type StartedRecogniser, startRecogniser } from './recogniser/open-recogniser.ts'
import { type Config, doubtfulSettings } from './settings/config.ts'
import { createRecogniserMetrics } from './startup/recogniser-metrics.ts'
import type { Service } from './startup/serving.ts'
import { StartedParts } from './startup/started-parts.ts'

export type { Service }

export interface ServiceHooks {
  readonly log: Logger
  /** The service cannot go on: its database is gone. */
  readonly onFatal: (error: Error) => void
}

/** Resolves when requests are answered. When a part cannot start, those that did are stopped again. */
export async function startService(config: Config, hooks: ServiceHooks): Promise<Service> {
  const started = new StartedParts()
  try {
    return await startParts(config, hooks, started)
  } catch (error) {
    await started.stop()
    throw error
  }
}

async function startParts(config: Config, hooks: ServiceHooks, started: StartedParts): Promise<Service> {
  const { log } = hooks
  for (const warning of doubtfulSettings(config)) log.warn(warning)
  const metrics = createMetrics()
  const startingRecogniser = beginRecogniser(config, log, metrics, started)
  const [database, { startServing }] = await Promise.all([
    startDatabase(config, hooks, started),
    import('./startup/serving.ts'),
  ])
  return startServing({ config, log, metrics, database, startingRecogniser }, started)
}

async function startDatabase(config: Config, hooks: ServiceHooks, started: StartedParts): Promise<Database> {
  const { log, onFatal } = hooks
  const database = await openDatabase(config, {
    as: 'service',
    onConnectionLost: error => log.warn({ err: error }, 'a connection to the database was lost'),
    onDatabaseLost: onFatal,
  })
  started.add(() => database.close())
  const applied = await migrate(database)
  if (applied.length > 0) log.info({ migrations: applied }, 'the database was brought up to date')
  return database
}

function createMetrics(): Registry {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  return metrics
}

/** The first part to begin and the last to stop: engines load their models in processes of their own while the database starts. */
function beginRecogniser(
  config: Config,
  log: Logger,
  metrics: Registry,
  started: StartedParts,
): Promise<StartedRecogniser> {
  const starting = startRecogniser(config, { log, metrics: createRecogniserMetrics(metrics) })
  // Where another part fails first, nobody waits for this one any more.
  const begun = starting.catch(() => undefined)
  started.add(async () => (await begun)?.recogniser.close())
  return starting
}
