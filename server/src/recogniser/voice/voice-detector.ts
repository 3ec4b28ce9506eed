// The service's side of voice detection: a process of its own, started with the first stream that asks for it. When it is lost, its streams
// are told, and the next one starts it again.

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '@sauti/protocol/errors'
import type { VoiceDetector, VoiceListener, VoiceStream } from '../port.ts'
import type { FromVoiceWorker, ToVoiceWorker } from './voice-messages.ts'

export function createVoiceDetector(modelPath: string): VoiceDetector {
  const listeners = new Map<number, VoiceListener>()
  let worker: ChildProcess | undefined
  let lastStream = 0

  function lose(lost: ChildProcess): void {
    if (lost !== worker) return
    worker = undefined
    const told = [...listeners.values()]
    listeners.clear()
    for (const listener of told) listener.onLost(new ServiceError('engine_unavailable'))
  }

  function start(): ChildProcess {
    const entry = fileURLToPath(new URL('./voice-worker.js', import.meta.url))
    const started = fork(entry, { serialization: 'advanced', execArgv: [] })
    started.on('message', ({ stream, likelihoods }: FromVoiceWorker) => {
      listeners.get(stream)?.onVoice(likelihoods)
    })
    started.on('exit', () => lose(started))
    started.on('error', () => lose(started))
    started.send({ type: 'start', path: modelPath } satisfies ToVoiceWorker)
    return started
  }

  return {
    open(listener): VoiceStream {
      worker ??= start()
      const stream = ++lastStream
      const send = (message: ToVoiceWorker) => {
        if (listeners.has(stream) && worker?.connected) worker.send(message)
      }
      listeners.set(stream, listener)
      return {
        push: samples => send({ type: 'frames', stream, samples }),
        close() {
          send({ type: 'close', stream })
          listeners.delete(stream)
        },
      }
    },
    async close() {
      const stopped = worker
      worker = undefined
      stopped?.disconnect()
    },
  }
}
