// The only place that opens ONNX Runtime sessions. Models that share a file share its session: two languages of one network cost
// the memory of one.

import { InferenceSession } from 'onnxruntime-node'

export const PROVIDERS = ['cpu', 'cuda'] as const
export type Provider = (typeof PROVIDERS)[number]

export interface SessionSettings {
  readonly provider: Provider
  /** Threads inside one run. More than one costs more CPU than it saves time, so streams run side by side on one each. */
  readonly threads: number
}

export class Sessions {
  readonly #settings: SessionSettings
  readonly #open = new Map<string, Promise<InferenceSession>>()

  constructor(settings: SessionSettings) {
    this.#settings = settings
  }

  open(path: string): Promise<InferenceSession> {
    let session = this.#open.get(path)
    if (session === undefined) {
      session = openSession(path, this.#settings)
      this.#open.set(path, session)
    }
    return session
  }

  async release(): Promise<void> {
    const sessions = await Promise.all(this.#open.values())
    await Promise.all(sessions.map(session => session.release()))
  }
}

function openSession(path: string, { provider, threads }: SessionSettings): Promise<InferenceSession> {
  return InferenceSession.create(path, {
    executionProviders: provider === 'cuda' ? ['cuda', 'cpu'] : ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // A stream's thread must not spin while it waits: the core belongs to another stream then.
    extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
  })
}
