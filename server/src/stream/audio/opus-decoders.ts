// The service's side of Opus: one thread decodes for all streams of a node, started with the first of them. Packets come from strangers, so
// they are decoded apart from the sockets. When the thread is lost or gives no answer, its streams are told, and the next one starts it again.

import { Worker } from 'node:worker_threads'
import { ServiceError } from '@sauti/protocol/errors'
import type { FromOpusWorker, ToOpusWorker } from './opus-messages.ts'

/** A packet takes less than a millisecond; only a thread that hangs needs this long. */
const MAX_STALL_MS = 20_000
const WATCHES_PER_STALL = 4

export interface OpusListener {
  /** One answer for each packet, in order; undefined for one that cannot be decoded. */
  onDecoded(samples: Int16Array<ArrayBuffer> | undefined): void
  /** The decoder is lost (ServiceError engine_unavailable). Nothing follows. */
  onLost(error: Error): void
}

export interface OpusStream {
  /** Copies the packet. */
  push(packet: Uint8Array): void
  /** The listener is told nothing more. Safe to call twice. */
  close(): void
}

export interface OpusDecoders {
  open(listener: OpusListener): OpusStream
  close(): Promise<void>
}

export interface OpusHooks {
  /** Only tests provide their own, to cause a fault. */
  readonly start?: () => Worker
  readonly maxStallMs?: number
}

export function createOpusDecoders(hooks: OpusHooks = {}): OpusDecoders {
  const listeners = new Map<number, OpusListener>()
  let lastStream = 0
  let thread: OpusThread | undefined

  function lose(lost: OpusThread): void {
    if (lost !== thread) return
    thread = undefined
    const told = [...listeners.values()]
    listeners.clear()
    for (const listener of told) listener.onLost(new ServiceError('engine_unavailable'))
  }

  function start(): OpusThread {
    const started: OpusThread = new OpusThread((hooks.start ?? startWorker)(), {
      maxStallMs: hooks.maxStallMs ?? MAX_STALL_MS,
      onAnswer: ({ stream, samples }) => listeners.get(stream)?.onDecoded(samples),
      onLost: () => lose(started),
    })
    return started
  }

  return {
    open(listener): OpusStream {
      thread ??= start()
      const stream = ++lastStream
      listeners.set(stream, listener)
      return {
        push(packet) {
          if (!listeners.has(stream)) return
          // A message takes the whole memory that a view is of: here all that the socket has read, again for each packet in it.
          thread?.send({ type: 'packet', stream, bytes: new Uint8Array(packet) })
        },
        close() {
          if (listeners.delete(stream)) thread?.send({ type: 'close', stream })
        },
      }
    },
    async close() {
      const stopped = thread
      thread = undefined
      await stopped?.end()
    },
  }
}

function startWorker(): Worker {
  const worker = new Worker(new URL('./opus-worker.js', import.meta.url), { env: {}, stderr: true })
  // What the decoder prints about a stranger's packet is of no use to anybody.
  worker.stderr.resume()
  worker.unref()
  return worker
}

interface ThreadParts {
  readonly maxStallMs: number
  readonly onAnswer: (answer: FromOpusWorker) => void
  readonly onLost: () => void
}

class OpusThread {
  readonly #worker: Worker
  readonly #watch: NodeJS.Timeout
  /** Packets without an answer. */
  #pending = 0
  #lastProgressMs = 0

  constructor(worker: Worker, { maxStallMs, onAnswer, onLost }: ThreadParts) {
    this.#worker = worker
    worker.on('message', (answer: FromOpusWorker) => {
      this.#pending -= 1
      this.#progress()
      onAnswer(answer)
    })
    // Ends the thread; the `exit` event reports it.
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      clearInterval(this.#watch)
      onLost()
    })
    this.#watch = setInterval(() => this.#look(maxStallMs), maxStallMs / WATCHES_PER_STALL)
    this.#watch.unref()
  }

  send(message: ToOpusWorker): void {
    if (message.type === 'packet') {
      if (this.#pending === 0) this.#progress()
      this.#pending += 1
    }
    this.#worker.postMessage(message)
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #look(maxStallMs: number): void {
    if (this.#pending > 0 && performance.now() - this.#lastProgressMs > maxStallMs) void this.end()
  }

  #progress(): void {
    this.#lastProgressMs = performance.now()
  }
}
