// The service's side of a decoder: feeds it the file as it arrives, takes the sound, and ends it when it takes too much time or memory.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '@sauti/protocol/errors'
import type { DecodingFailed } from './decoder-messages.ts'

/** Of JavaScript; the decoders' own memory is watched from outside. */
const MAX_HEAP_MB = 256
const MAX_RESIDENT_BYTES = 640 * 2 ** 20
const WATCH_MS = 250
/** How long it may neither take bytes nor give sound while it has work to do. */
const MAX_STALL_MS = 20_000
const PAGE_BYTES = 4_096

export interface DecoderHooks {
  /** Starts the process; only tests provide their own, to cause a fault. */
  readonly start?: () => ChildProcess
  readonly maxStallMs?: number
}

/** Mono 16 kHz PCM16. Throws unsupported_audio or undecodable_audio; ends with the signal's reason. */
export async function* decode(
  file: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  hooks: DecoderHooks = {},
): AsyncGenerator<Int16Array> {
  const decoder = new DecoderProcess((hooks.start ?? startDecoder)(), hooks.maxStallMs ?? MAX_STALL_MS)
  const stop = () => decoder.kill()
  signal.addEventListener('abort', stop)
  const feeding = decoder.feed(file)
  // Reported by `sound` below, or no longer of interest.
  feeding.catch(() => undefined)
  try {
    yield* decoder.sound()
    await feeding
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    decoder.kill()
  }
}

function startDecoder(): ChildProcess {
  const entry = fileURLToPath(new URL('./decoder-worker.js', import.meta.url))
  return fork(entry, {
    stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
    execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
    // It needs nothing from our environment, least of all secrets.
    env: {},
  })
}

class DecoderProcess {
  readonly #process: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #watch: NodeJS.Timeout
  #lastProgressMs = performance.now()
  /** It has been given bytes that it has not taken, or all of them. */
  #hasWork = false
  /** Its sound is waited for, so that a pause is its own. */
  #isAwaited = true
  #failed: DecodingFailed | undefined
  #feedFailure: { readonly reason: unknown } | undefined

  constructor(process: ChildProcess, maxStallMs: number) {
    this.#process = process
    this.#ended = once(process, 'close').catch(() => undefined)
    process.on('message', (message: DecodingFailed) => {
      this.#failed = message
    })
    process.on('error', () => this.kill())
    // A process that ends early closes its input.
    process.stdin!.on('error', () => undefined)
    this.#watch = setInterval(() => void this.#look(maxStallMs), WATCH_MS)
    this.#watch.unref()
  }

  kill(): void {
    clearInterval(this.#watch)
    this.#process.kill('SIGKILL')
  }

  async feed(file: AsyncIterable<Uint8Array>): Promise<void> {
    const stdin = this.#process.stdin!
    try {
      for await (const piece of file) {
        if (stdin.writable && !stdin.write(piece)) await this.#untilTaken(stdin)
        this.#progress()
      }
    } catch (reason) {
      this.#feedFailure = { reason }
      this.kill()
    }
    this.#hasWork = true
    stdin.end()
  }

  async *sound(): AsyncGenerator<Int16Array> {
    let rest: Buffer = Buffer.alloc(0)
    for await (const piece of this.#process.stdout! as AsyncIterable<Buffer>) {
      this.#progress()
      const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece
      rest = bytes.subarray(bytes.length & ~1)
      const samples = new Int16Array(bytes.length >> 1)
      for (let n = 0; n < samples.length; n++) samples[n] = bytes.readInt16LE(n * 2)
      // The time that the reader takes does not count against the decoder.
      this.#isAwaited = false
      yield samples
      this.#isAwaited = true
      this.#progress()
    }
    await this.#ended
    clearInterval(this.#watch)
    this.#throwProblem()
  }

  #throwProblem(): void {
    if (this.#feedFailure) throw this.#feedFailure.reason
    if (this.#failed) throw new ServiceError(this.#failed.problem, messageOf(this.#failed))
    if (this.#process.exitCode !== 0) throw new ServiceError('undecodable_audio')
  }

  async #untilTaken(stdin: NodeJS.WritableStream): Promise<void> {
    this.#hasWork = true
    const over = new AbortController()
    await Promise.race([
      once(stdin, 'drain', { signal: over.signal }),
      once(stdin, 'close', { signal: over.signal }),
    ])
    over.abort()
    this.#hasWork = false
  }

  #progress(): void {
    this.#lastProgressMs = performance.now()
  }

  async #look(maxStallMs: number): Promise<void> {
    const stalledMs = performance.now() - this.#lastProgressMs
    if (this.#hasWork && this.#isAwaited && stalledMs > maxStallMs) this.kill()
    else if ((await residentBytes(this.#process.pid)) > MAX_RESIDENT_BYTES) this.kill()
  }
}

function messageOf({ message }: DecodingFailed): { message?: string } {
  return message ? { message } : {}
}

/** 0 where the system does not tell. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) * PAGE_BYTES
}
