// Opens the recogniser: checks the model packages, starts the engines and waits until they are warm. Logs and metrics come in as hooks.

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { DEFAULT_LOOK_AHEAD } from '@sauti/protocol/audio'
import { findModel, MODEL_IDS, type ModelId } from '@sauti/protocol/models'
import { Engine } from './engine.ts'
import type { EngineData } from './messages.ts'
import { type ModelPackage, openModelPackage, PackageError } from './model-package.ts'
import { Pool, type PoolHooks, type PoolSettings } from './pool.ts'
import type { Recogniser } from './port.ts'
import type { SessionSettings } from './sessions.ts'

export interface EngineSettings extends PoolSettings, SessionSettings {
  /** Has one folder a model, named by the model's id. */
  readonly modelsFolder: string
  /** An engine that does not answer for this long is given up. */
  readonly hangMs: number
}

export interface RecogniserHooks {
  readonly log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
  readonly metrics: {
    /** Streams that can run in real time at once, and streams that are open. */
    capacity(streams: number, openStreams: number): void
    /** One chunk was done in so many milliseconds of an engine's time. */
    step(stepMs: number): void
    engineLost(): void
  }
  /** Starts an engine's thread; only a test brings its own, to make a fault happen. */
  readonly startThread?: (data: EngineData) => Worker
}

/** Rejects when no model can be served or an engine cannot start. A model that is missing or broken is logged and left out. */
export async function openRecogniser(settings: EngineSettings, hooks: RecogniserHooks): Promise<Recogniser> {
  const packages = await openPackages(settings.modelsFolder, hooks)
  const data: EngineData = {
    models: [...packages].map(([id, opened]) => ({ id, package: opened })),
    sessions: { provider: settings.provider, threads: settings.threads },
  }
  const pool = new Pool(packages, settings, poolHooks(settings, hooks, data))
  try {
    await pool.warm()
  } catch (error) {
    await pool.close()
    throw error
  }
  hooks.log.info({ models: pool.models, capacity: pool.capacity }, 'the recogniser is warm')
  return pool
}

function poolHooks(settings: EngineSettings, hooks: RecogniserHooks, data: EngineData): PoolHooks {
  const startThread = hooks.startThread ?? startEngineThread
  return {
    startEngine: events => new Engine(startThread(data), settings.hangMs, wallClockMs, events),
    engineLost(cause) {
      hooks.metrics.engineLost()
      hooks.log.error({ problem: cause.message }, 'an engine was lost and is replaced')
    },
    capacityChanged: hooks.metrics.capacity,
    step: hooks.metrics.step,
  }
}

export function startEngineThread(data: EngineData): Worker {
  return new Worker(new URL('./recogniser-worker.js', import.meta.url), { workerData: data })
}

/** Does not jump when the machine's clock is set. */
function wallClockMs(): number {
  return performance.now()
}

async function openPackages(
  modelsFolder: string,
  { log }: RecogniserHooks,
): Promise<ReadonlyMap<ModelId, ModelPackage>> {
  const packages = new Map<ModelId, ModelPackage>()
  const problems: string[] = []
  for (const model of MODEL_IDS) {
    try {
      packages.set(model, checkIdentity(model, await openModelPackage(join(modelsFolder, model))))
    } catch (error) {
      if (!(error instanceof PackageError)) throw error
      problems.push(error.message)
      log.error({ model, problem: error.message }, 'a model is missing and will not be served')
    }
  }
  if (packages.size === 0) throw new Error(`no model can be served: ${problems.join('; ')}`)
  return packages
}

function checkIdentity(model: ModelId, opened: ModelPackage): ModelPackage {
  const { id, language_code, look_aheads } = opened.manifest
  const expectedCode = findModel(model)!.languageCode
  if (id !== model) throw new PackageError(opened.folder, 'manifest.json', `it is of ${id}`)
  if (language_code !== expectedCode) {
    throw new PackageError(
      opened.folder,
      'manifest.json',
      `its language is ${language_code}, not ${expectedCode}`,
    )
  }
  if (!look_aheads.includes(DEFAULT_LOOK_AHEAD)) {
    throw new PackageError(opened.folder, 'manifest.json', `it lacks look-ahead ${DEFAULT_LOOK_AHEAD}`)
  }
  return opened
}
