// The only place that opens ONNX Runtime sessions. Models that share a file share its session: two languages of one network cost
// the memory of one.
//
// The runtime's public interface puts a promise and a turn of the event loop around every run, about 50 us of CPU; a chunk has a dozen
// small runs. An engine is a process of its own and has nothing else to do meanwhile, so it takes the synchronous session that the
// public one wraps.

import type { Tensor } from 'onnxruntime-node'
import { type Binding, binding, initOrt } from 'onnxruntime-node/dist/binding.js'

export const PROVIDERS = ['cpu', 'cuda'] as const
export type Provider = (typeof PROVIDERS)[number]

export interface SessionSettings {
  readonly provider: Provider
  /** Threads inside one run. More than one costs more CPU than it saves time, so streams run side by side on one each. */
  readonly threads: number
}

export type Tensors = Record<string, Tensor>

/** The tensors of runs of one shape, allocated once. */
export interface Run {
  readonly inputs: Tensors
  readonly outputs: Tensors
}

export class Session {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  /** Number of dimensions of the first output. */
  readonly outputRank: number
  readonly #session: Binding.InferenceSession

  constructor(path: string, { provider, threads }: SessionSettings) {
    initOrt()
    this.#session = new binding.InferenceSession()
    const options = {
      executionProviders: provider === 'cuda' ? ['cuda', 'cpu'] : ['cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: 'all',
      // A thread must not spin while it waits: the core belongs to another engine then.
      extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
    } as const
    this.#session.loadModel(path, options)
    this.inputNames = this.#session.inputMetadata.map(input => input.name)
    this.outputNames = this.#session.outputMetadata.map(output => output.name)
    this.outputRank = this.#session.outputMetadata[0]!.shape.length
  }

  /** Writes the outputs into the tensors given. */
  run({ inputs, outputs }: Run): void {
    this.#session.run(inputs, outputs, {})
  }

  release(): void {
    this.#session.dispose()
  }
}

export class Sessions {
  readonly #settings: SessionSettings
  readonly #open = new Map<string, Session>()
  readonly #shared = new Map<string, unknown>()

  constructor(settings: SessionSettings) {
    this.#settings = settings
  }

  get provider(): Provider {
    return this.#settings.provider
  }

  open(path: string): Session {
    let session = this.#open.get(path)
    if (session === undefined) {
      session = new Session(path, this.#settings)
      this.#open.set(path, session)
    }
    return session
  }

  /** Frees the session of a file that is no longer needed. */
  close(path: string): void {
    this.#open.get(path)?.release()
    this.#open.delete(path)
  }

  /** What is made of files that several models share is made once. */
  share<T>(files: string, make: () => T): T {
    if (!this.#shared.has(files)) this.#shared.set(files, make())
    return this.#shared.get(files) as T
  }

  release(): void {
    for (const path of [...this.#open.keys()]) this.close(path)
    this.#shared.clear()
  }
}
