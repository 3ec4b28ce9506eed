// The pool of engines behind the port. A stream goes to the least loaded engine and stays there; an engine that is lost is replaced;
// a stream that finds no free slot waits a little for one.

import { setTimeout as wait } from 'node:timers/promises'
import type { LookAhead } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { ModelId } from '@sauti/protocol/models'
import type { ModelPackage } from '../package/model-package.ts'
import type { Recogniser, RecogniserSettings, RecogniserStream, StreamKind } from '../port.ts'
import type { EngineEvents, EngineProcess } from './engine-process.ts'

/** An engine that cannot start is tried again after this long, then twice as long, up to the longest. */
const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 30_000

export interface PoolSettings {
  readonly engines: number
  readonly maxStreams: number
  readonly openTimeoutMs: number
}

export interface PoolHooks {
  startEngine(events: EngineEvents): EngineProcess
  engineLost(cause: Error): void
  capacityChanged(capacity: number, openStreams: number): void
  step(stepMs: number): void
}

export class Pool implements Recogniser {
  readonly #packages: ReadonlyMap<ModelId, ModelPackage>
  readonly #settings: PoolSettings
  readonly #hooks: PoolHooks
  readonly #engines = new Set<EngineProcess>()
  /** Killed, and not gone yet. */
  readonly #lost = new Set<EngineProcess>()
  readonly #waiting = new Set<() => void>()
  #nextStream = 1
  #failedStarts = 0
  #lastLoss: Error | undefined
  #closed = false

  constructor(packages: ReadonlyMap<ModelId, ModelPackage>, settings: PoolSettings, hooks: PoolHooks) {
    this.#packages = packages
    this.#settings = settings
    this.#hooks = hooks
    for (let i = 0; i < settings.engines; i++) this.#startEngine()
  }

  get models(): readonly ModelId[] {
    return this.#warmEngines().length === 0 ? [] : [...this.#packages.keys()]
  }

  get capacity(): number {
    return this.#limited(engine => engine.capacity)
  }

  get heldBack(): number {
    return this.capacity - this.#limited(engine => engine.capacity - engine.heldBack)
  }

  get openStreams(): number {
    return [...this.#engines].reduce((sum, engine) => sum + engine.openStreams, 0)
  }

  lookAheads(model: ModelId): readonly LookAhead[] {
    return this.#packages.get(model)?.manifest.look_aheads ?? []
  }

  async open(
    model: ModelId,
    settings: RecogniserSettings,
    signal?: AbortSignal,
    kind: StreamKind = 'live',
  ): Promise<RecogniserStream> {
    if (!this.#packages.has(model)) throw new ServiceError('engine_unavailable')
    const find = kind === 'live' ? () => this.#freeEngine() : () => this.#leastLoadedEngine()
    const engine = find() ?? (await this.#waitForEngine(find, signal))
    return engine.open(this.#nextStream++, model, settings, kind)
  }

  /** Resolves when every engine is warm; rejects when one cannot start. */
  async warm(): Promise<void> {
    while (this.#warmEngines().length < this.#settings.engines) {
      if (this.#lastLoss !== undefined) throw this.#lastLoss
      await this.#change()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#changed()
    await Promise.all([...this.#engines, ...this.#lost].map(engine => engine.stop()))
    this.#engines.clear()
  }

  #limited(admitted: (engine: EngineProcess) => number): number {
    const background = this.openStreams - this.#liveStreams()
    const inAll = this.#warmEngines().reduce((sum, engine) => sum + admitted(engine), 0)
    return Math.min(this.#settings.maxStreams + background, inAll)
  }

  #liveStreams(): number {
    return [...this.#engines].reduce((sum, engine) => sum + engine.liveStreams, 0)
  }

  #warmEngines(): EngineProcess[] {
    return [...this.#engines].filter(engine => engine.warm)
  }

  #freeEngine(): EngineProcess | undefined {
    if (this.#liveStreams() >= this.#settings.maxStreams) return undefined
    const free = this.#warmEngines().filter(engine => engine.freeSlots > 0)
    return free.sort((a, b) => a.load - b.load)[0]
  }

  #leastLoadedEngine(): EngineProcess | undefined {
    return this.#warmEngines().sort((a, b) => a.openStreams - b.openStreams)[0]
  }

  async #waitForEngine(find: () => EngineProcess | undefined, signal?: AbortSignal): Promise<EngineProcess> {
    const timeout = AbortSignal.timeout(this.#settings.openTimeoutMs)
    const given = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
    for (;;) {
      if (given.aborted || this.#closed) throw new ServiceError('engine_unavailable', { cause: given.reason })
      const engine = find()
      if (engine !== undefined) return engine
      await this.#change(given)
    }
  }

  /** Resolves at the next change of any engine, or when the signal is aborted. */
  #change(signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal?.addEventListener('abort', wake, { once: true })
    })
  }

  #changed(): void {
    this.#hooks.capacityChanged(this.capacity, this.openStreams)
    for (const wake of [...this.#waiting]) wake()
  }

  #startEngine(): void {
    const engine = this.#hooks.startEngine({
      warm: () => {
        this.#failedStarts = 0
        this.#changed()
      },
      lost: (lost, cause) => this.#replace(lost, cause),
      loadChanged: () => this.#changed(),
      step: this.#hooks.step,
    })
    this.#engines.add(engine)
  }

  /**
   * When its process is gone, so that there are never more than were asked for: soon when it had worked before, after longer and longer
   * pauses when the start itself fails.
   */
  #replace(lost: EngineProcess, cause: Error): void {
    this.#engines.delete(lost)
    this.#lost.add(lost)
    void lost.ended.then(() => this.#lost.delete(lost))
    if (this.#closed) return
    this.#lastLoss = cause
    this.#hooks.engineLost(cause)
    const delayMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failedStarts++)
    void Promise.all([lost.ended, wait(delayMs, undefined, { ref: false })]).then(() => {
      if (!this.#closed) this.#startEngine()
    })
    this.#changed()
  }
}
