// The service's side of one engine: its streams, its load, and the watch over it. An engine that dies or no longer answers is given up:
// its streams fail, and the pool starts another in its place.

import type { ChildProcess } from 'node:child_process'
import { DEFAULT_LOOK_AHEAD } from '@sauti/protocol/audio'
import type { ModelId } from '@sauti/protocol/models'
import { freeSlots, type StepCosts, streamShare } from './capacity.ts'
import type { FromEngine, FromStream, StreamItem, ToEngine } from './messages.ts'
import { type EngineDoor, PooledStream } from './pooled-stream.ts'
import type { RecogniserSettings } from './port.ts'

/** What a stream is counted as before it says what it wants. */
const USUAL: RecogniserSettings = { lookAhead: DEFAULT_LOOK_AHEAD, phrases: [] }

export interface EngineEvents {
  warm(): void
  /** Told once. */
  lost(engine: Engine, cause: Error): void
  /** A stream was opened, closed or changed its settings. */
  loadChanged(): void
  step(stepMs: number): void
}

interface OpenStream {
  readonly stream: PooledStream
  readonly model: ModelId
  share: number
}

export class Engine implements EngineDoor {
  readonly #process: ChildProcess
  readonly #events: EngineEvents
  readonly #hangMs: number
  readonly #now: () => number
  readonly #streams = new Map<number, OpenStream>()
  readonly #watch: NodeJS.Timeout
  #costs: Readonly<Partial<Record<ModelId, StepCosts>>> | undefined
  #unansweredSince: number | undefined
  #gone = false

  constructor(process: ChildProcess, hangMs: number, now: () => number, events: EngineEvents) {
    this.#process = process
    this.#hangMs = hangMs
    this.#now = now
    this.#events = events
    process.on('message', (message: FromEngine) => this.#receive(message))
    process.on('error', error => this.#lose(error))
    process.on('exit', (code, signal) =>
      this.#lose(new Error(`the engine ended with ${signal ?? `code ${code}`}`)),
    )
    this.#watch = setInterval(() => this.#checkAnswer(), Math.max(50, hangMs / 4))
    this.#watch.unref()
  }

  get warm(): boolean {
    return this.#costs !== undefined && !this.#gone
  }

  get openStreams(): number {
    return this.#streams.size
  }

  /** Part of a core that the open streams need. */
  get load(): number {
    let load = 0
    for (const { share } of this.#streams.values()) load += share
    return load
  }

  /** How many more streams of the dearest model fit, with the usual settings. */
  freeSlots(lent: number): number {
    const shares = Object.values(this.#costs ?? {}).map(costs => streamShare(costs, USUAL))
    return this.warm ? freeSlots(lent, this.load, Math.max(...shares)) : 0
  }

  open(id: number, model: ModelId, settings: RecogniserSettings): PooledStream {
    const stream = new PooledStream(id, this, settings, this.#now)
    this.#streams.set(id, { stream, model, share: this.#share(model, settings) })
    this.#post({ type: 'open', stream: id, model, settings })
    this.#events.loadChanged()
    return stream
  }

  send(stream: number, item: StreamItem): void {
    this.#post({ type: 'item', stream, item })
  }

  close(stream: number): void {
    if (!this.#streams.delete(stream)) return
    this.#post({ type: 'close', stream })
    this.#events.loadChanged()
  }

  configured(stream: number, settings: RecogniserSettings): void {
    const open = this.#streams.get(stream)
    if (open === undefined) return
    open.share = this.#share(open.model, settings)
    this.#events.loadChanged()
  }

  /** Ends the process when its step is over, or by force when that takes too long. */
  async stop(): Promise<void> {
    if (this.#gone) return
    this.#leave()
    for (const { stream } of [...this.#streams.values()]) stream.close()
    const ended = new Promise(resolve => this.#process.once('exit', resolve))
    this.#post({ type: 'stop' })
    const force = setTimeout(() => this.#process.kill('SIGKILL'), this.#hangMs)
    await ended
    clearTimeout(force)
  }

  #share(model: ModelId, settings: RecogniserSettings): number {
    return streamShare(this.#costs?.[model] ?? {}, settings)
  }

  #receive(message: FromEngine): void {
    this.#unansweredSince = undefined
    switch (message.type) {
      case 'warm':
        this.#costs = message.costs
        this.#events.warm()
        break
      case 'stream':
        this.#receiveOfStream(message.stream, message.message)
        break
      case 'broken':
        this.#lose(new Error(message.problem))
        break
      case 'pong':
        break
    }
  }

  #receiveOfStream(id: number, message: FromStream): void {
    if (message.type === 'heard') this.#events.step(message.stepMs)
    this.#streams.get(id)?.stream.receive(message)
  }

  /** Asks for a sign of life, and gives the engine up when the last question stayed without one. Loading may take its time. */
  #checkAnswer(): void {
    if (!this.warm) return
    const since = this.#unansweredSince
    if (since === undefined) {
      this.#unansweredSince = this.#now()
      this.#post({ type: 'ping' })
    } else if (this.#now() - since > this.#hangMs) {
      this.#lose(new Error(`the engine has not answered for ${this.#hangMs} ms`))
    }
  }

  #lose(cause: Error): void {
    if (this.#gone) return
    this.#leave()
    this.#process.kill('SIGKILL')
    for (const { stream } of this.#streams.values()) stream.fail(cause)
    this.#events.lost(this, cause)
  }

  #leave(): void {
    this.#gone = true
    clearInterval(this.#watch)
  }

  /** What cannot be sent goes to an engine that is just dying; its end is told by `exit`. */
  #post(message: ToEngine): void {
    if (this.#process.connected) this.#process.send(message, error => error && this.#lose(error))
  }
}
