// Opens the recogniser: checks the model packages, starts the engines and tells when they are warm. Logs and metrics come in as hooks.

import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_LOOK_AHEAD } from '@sauti/protocol/audio'
import { findModel, MODEL_IDS, type ModelId } from '@sauti/protocol/models'
import type { Provider } from './engine/onnx-sessions.ts'
import { FileFacts } from './package/file-facts.ts'
import { type ModelPackage, openModelPackage, PackageError } from './package/model-package.ts'
import { MAX_LOAD } from './pool/capacity.ts'
import { cpuMs, monotonicMs } from './pool/clock.ts'
import { EngineProcess } from './pool/engine-process.ts'
import type { EngineData, ToEngine } from './pool/messages.ts'
import { Pool, type PoolHooks } from './pool/pool.ts'
import type { Recogniser } from './port.ts'

/** An engine that has not answered for this long is stuck: a step takes well below a second. */
const HANG_MS = 10_000
/** What streams cost in all, of what they cost their engine: the service itself uses 13 to 15 % as much. Counts where it has no core of its own. */
const OVERHEAD = 1.15

/** The service's settings for the recogniser, under the same names. By default there is one engine on one core. */
export interface EngineSettings {
  /** Has one folder per model, named by the model's id. */
  readonly modelsDir: string
  readonly recogniserWorkers?: number
  readonly recogniserThreads?: number
  readonly executionProvider?: Provider
  /** Off: speech is spelled by its sound alone, which costs less and makes more errors. */
  readonly languageModel?: 'on' | 'off'
  /** Most streams at once; without it what is measured. */
  readonly maxStreams?: number | undefined
  /** How long a new stream may wait for a free slot. */
  readonly engineWaitMs?: number
}

const DEFAULT_WAIT_MS = 10_000

export interface RecogniserHooks {
  readonly log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
  readonly metrics: {
    /** Streams that can run in real time at once, and streams that are open. */
    capacity(streams: number, openStreams: number): void
    /** One chunk took this many milliseconds of an engine's time. */
    step(stepMs: number): void
    engineLost(): void
  }
  /** Starts an engine's process; only tests provide their own, to cause a fault. */
  readonly startProcess?: (data: EngineData) => ChildProcess
  readonly hangMs?: number
  /** Shared by the service and its engines; tests provide their own. */
  readonly cores?: number
}

/** Logs nothing and counts nothing. */
const NO_HOOKS: RecogniserHooks = {
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  metrics: { capacity: () => undefined, step: () => undefined, engineLost: () => undefined },
}

/** A recogniser whose engines load their models. */
export interface StartedRecogniser {
  readonly recogniser: Recogniser
  /** Resolves when the engines can be used, and rejects when one cannot start. */
  readonly warm: Promise<void>
}

/** Rejects when no model can be served. A model that is missing or broken is logged and left out. */
export async function startRecogniser(
  settings: EngineSettings,
  givenHooks: Partial<RecogniserHooks> = {},
): Promise<StartedRecogniser> {
  const hooks = { ...NO_HOOKS, ...givenHooks }
  const packages = await openPackages(settings.modelsDir, hooks)
  const data: EngineData = {
    models: [...packages].map(([id, opened]) => ({ id, package: chooseParts(opened, settings) })),
    sessions: { provider: settings.executionProvider ?? 'cpu', threads: settings.recogniserThreads ?? 1 },
  }
  const poolSettings = {
    engines: settings.recogniserWorkers ?? 1,
    maxStreams: settings.maxStreams ?? Number.POSITIVE_INFINITY,
    openTimeoutMs: settings.engineWaitMs ?? DEFAULT_WAIT_MS,
  }
  const pool = new Pool(packages, poolSettings, poolHooks(hooks, data, poolSettings.engines))
  const warm = pool.warm().then(() => {
    hooks.log.info({ models: pool.models, capacity: pool.capacity }, 'the recogniser is warm')
  })
  // Whoever waits for it is told; while nobody does yet, a failure must not end the process.
  warm.catch(() => undefined)
  return { recogniser: pool, warm }
}

/** Rejects when no model can be served or an engine cannot start. */
export async function openRecogniser(
  settings: EngineSettings,
  hooks: Partial<RecogniserHooks> = {},
): Promise<Recogniser> {
  const { recogniser, warm } = await startRecogniser(settings, hooks)
  try {
    await warm
  } catch (error) {
    await recogniser.close()
    throw error
  }
  return recogniser
}

function chooseParts(opened: ModelPackage, { languageModel }: EngineSettings): ModelPackage {
  return languageModel === 'off' ? { ...opened, languageModelPath: undefined } : opened
}

function poolHooks(hooks: RecogniserHooks, data: EngineData, engines: number): PoolHooks {
  const hasOwnCore = engines < (hooks.cores ?? availableParallelism())
  const admission = {
    maxLoad: MAX_LOAD,
    overhead: hasOwnCore ? 1 : OVERHEAD,
    serviceCpuMs: hasOwnCore ? () => 0 : () => cpuMs() / engines,
  }
  const startProcess = hooks.startProcess ?? startEngineProcess
  return {
    startEngine: events => {
      const limits = { hangMs: hooks.hangMs ?? HANG_MS, admission, now: monotonicMs }
      return new EngineProcess(startProcess(data), limits, events)
    },
    engineLost(cause) {
      hooks.metrics.engineLost()
      hooks.log.error({ problem: cause.message }, 'an engine was lost and is replaced')
    },
    capacityChanged: hooks.metrics.capacity,
    step: hooks.metrics.step,
  }
}

/** An engine makes little garbage: collecting it sooner costs no time that can be measured, and takes less memory. */
const SMALL_NURSERY = ['--max-semi-space-size=2']

/**
 * An engine is a process of its own, not a thread: a fault of the native runtime then ends one engine and not the service, and an engine
 * that hangs can be ended. (A thread that is ended in the middle of a run takes the whole process with it.)
 */
export function startEngineProcess(data: EngineData): ChildProcess {
  const entry = fileURLToPath(new URL('./pool/engine-worker.js', import.meta.url))
  const process = fork(entry, { serialization: 'advanced', execArgv: SMALL_NURSERY })
  process.send({ type: 'start', data } satisfies ToEngine)
  return process
}

async function openPackages(
  modelsDir: string,
  { log }: RecogniserHooks,
): Promise<ReadonlyMap<ModelId, ModelPackage>> {
  const packages = new Map<ModelId, ModelPackage>()
  const problems: string[] = []
  const facts = new FileFacts()
  for (const model of MODEL_IDS) {
    try {
      packages.set(model, checkIdentity(model, await openModelPackage(join(modelsDir, model), facts)))
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
