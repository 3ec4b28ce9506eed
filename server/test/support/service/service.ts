// The real service on a free port, with TLS of its own authority, on the engine that SAUTI_TEST_DATABASE names and on tiny models.

import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { createLogger } from '#server/log.js'
import { type Service, startService } from '#server/service.js'
import { readConfig } from '#server/settings/config.js'
import { createMigratedDatabase, currentEngine, type Engine } from '../database/database.ts'
import { tinyModelsDir } from '../recogniser/tiny-models.ts'

export interface TestService extends Pick<Service, 'database' | 'port' | 'metricsPort' | 'publicUrl'> {
  /** https://127.0.0.1:port */
  readonly baseUrl: string
  /** PEM of the authority, for clients; `agent` already trusts it. */
  readonly ca: string
  readonly agent: Agent
  readonly dataDir: string
  /** The settings it was started with; start a second process on the same data with them. */
  readonly env: Readonly<Record<string, string>>
  /** Every log line so far. */
  readonly log: () => string
  /** Stops the service and deletes its data. */
  stop(): Promise<void>
}

export interface TestServiceOptions {
  readonly engine?: Engine
  /** SAUTI_* settings that differ. */
  readonly env?: Readonly<Record<string, string>>
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const store = await createMigratedDatabase(options.engine ?? currentEngine())
  const models = tinyModelsDir()
  const env = {
    SAUTI_PORT: '0',
    SAUTI_METRICS_PORT: '0',
    SAUTI_MODELS_DIR: models.modelsDir,
    SAUTI_RECOGNISER_WORKERS: '1',
    SAUTI_DRAIN_SECONDS: '1',
    ...store.env,
    ...options.env,
  }
  const lines: string[] = []
  const logger = createLogger('trace', { write: line => void lines.push(line) })
  const service = await startService(readConfig(env), { log: logger, onFatal: fail })
  const ca = service.authorityFile === undefined ? '' : readFileSync(service.authorityFile, 'utf8')
  const agent = new Agent({ ca, keepAlive: true })
  return {
    ...service,
    baseUrl: `https://127.0.0.1:${service.port}`,
    ca,
    agent,
    dataDir: store.env.SAUTI_DATA_DIR!,
    env,
    log: () => lines.join(''),
    async stop() {
      agent.destroy()
      await service.stop()
      models.remove()
      await store.remove()
    },
  }
}

function fail(error: Error): never {
  throw error
}
