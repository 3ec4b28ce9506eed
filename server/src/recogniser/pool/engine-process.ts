// The service's side of one engine: its streams, its load, and a check that it still answers. An engine that dies or no longer answers is
// given up: its streams fail, and the pool starts another in its place.

import type { ChildProcess } from 'node:child_process'
import { DEFAULT_LOOK_AHEAD } from '@sauti/protocol/audio'
import type { ModelId } from '@sauti/protocol/models'
import type { RecogniserSettings, StreamKind } from '../port.ts'
import type { AdmissionLimits, WorkDone } from './admission.ts'
import { freeSlots, type StepCosts, streamShare } from './capacity.ts'
import { EngineLoad } from './engine-load.ts'
import type { FromEngine, FromStream, StreamItem, ToEngine } from './messages.ts'
import { type EngineChannel, PooledStream } from './pooled-stream.ts'

/** So that nine tenths hold nine streams of a tenth each. */
const ROUNDING = 1e-9

/** As many are admitted on any machine that could run them when it started: with so few, a moment without the CPU says nothing. */
const FEW_STREAMS = 8

/** The settings of a stream that has not chosen any. */
const USUAL: RecogniserSettings = { lookAhead: DEFAULT_LOOK_AHEAD, phrases: [] }

export interface EngineEvents {
  warm(): void
  /** Called once. */
  lost(engine: EngineProcess, cause: Error): void
  /** A stream was opened, closed or changed its settings. */
  loadChanged(): void
  step(stepMs: number): void
}

export interface EngineLimits {
  /** An engine that has not answered for this long is given up. */
  readonly hangMs: number
  readonly admission: AdmissionLimits
  readonly now: () => number
}

interface OpenStream {
  readonly stream: PooledStream
  readonly model: ModelId
  readonly kind: StreamKind
}

export class EngineProcess implements EngineChannel {
  /** Resolves when its process is gone. */
  readonly ended: Promise<void>
  readonly #process: ChildProcess
  readonly #events: EngineEvents
  readonly #hangMs: number
  readonly #maxLoad: number
  readonly #load: EngineLoad
  readonly #now: () => number
  readonly #streams = new Map<number, OpenStream>()
  readonly #watch: NodeJS.Timeout
  #costs: Readonly<Partial<Record<ModelId, StepCosts>>> | undefined
  #unansweredSince: number | undefined
  #gone = false

  constructor(process: ChildProcess, { hangMs, admission, now }: EngineLimits, events: EngineEvents) {
    this.#process = process
    this.#hangMs = hangMs
    this.#maxLoad = admission.maxLoad
    this.#now = now
    this.#load = new EngineLoad(admission, now())
    this.#events = events
    this.ended = endOf(process)
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

  get liveStreams(): number {
    let live = 0
    for (const { kind } of this.#streams.values()) if (kind === 'live') live++
    return live
  }

  /** Part of a core that the open streams need. */
  get load(): number {
    return this.#load.demand
  }

  /**
   * Streams that it admits in all, with the usual settings: by measured costs, and by how it keeps up. Fewer than are open where it does not.
   * Background streams take no slot, so each that is open adds one.
   */
  get capacity(): number {
    return this.#admitted(this.#roomForStreams())
  }

  /** How many of them it takes only when it has heard those that have just come. */
  get heldBack(): number {
    const now = Math.ceil(this.#load.roomForNewcomers / this.#usualShare() - ROUNDING)
    return this.capacity - this.#admitted(Math.min(now, this.#roomForStreams()))
  }

  /** In all, where it has room for so many more. */
  #admitted(more: number): number {
    const live = this.liveStreams
    return Math.max(Math.min(FEW_STREAMS, live + this.freeSlots), live + more) + this.openStreams - live
  }

  /**
   * How many more streams it has a place for, with the usual settings: by the costs that were measured when it started, or by how it keeps up
   * where that is more. So a stream that was admitted always has one.
   */
  get freeSlots(): number {
    if (!this.warm) return 0
    return Math.max(freeSlots(this.#maxLoad, this.load, this.#usualShare()), this.#roomForStreams())
  }

  /** Further streams by how it keeps up; below zero where it does not. */
  #roomForStreams(): number {
    return Math.floor(this.#load.room / this.#usualShare() + ROUNDING)
  }

  /** Of the most expensive model. */
  #usualShare(): number {
    return Math.max(...Object.values(this.#costs ?? {}).map(costs => streamShare(costs, USUAL)))
  }

  open(id: number, model: ModelId, settings: RecogniserSettings, kind: StreamKind): PooledStream {
    const stream = new PooledStream(id, this, settings, this.#now)
    this.#streams.set(id, { stream, model, kind })
    this.#load.add(id, this.#share(model, settings, kind), this.#now())
    this.#post({ type: 'open', stream: id, model, settings, kind })
    this.#events.loadChanged()
    return stream
  }

  send(stream: number, item: StreamItem): void {
    this.#post({ type: 'item', stream, item })
  }

  close(stream: number): void {
    if (!this.#streams.delete(stream)) return
    this.#load.remove(stream)
    this.#post({ type: 'close', stream })
    this.#events.loadChanged()
  }

  configured(stream: number, settings: RecogniserSettings): void {
    const open = this.#streams.get(stream)
    if (open === undefined) return
    this.#load.change(stream, this.#share(open.model, settings, open.kind))
    this.#events.loadChanged()
  }

  /** Ends the process when its step is over, or by force when that takes too long. */
  async stop(): Promise<void> {
    if (this.#gone) return this.ended
    this.#leave()
    for (const { stream } of [...this.#streams.values()]) stream.close()
    this.#post({ type: 'stop' })
    const force = setTimeout(() => this.#process.kill('SIGKILL'), this.#hangMs)
    await this.ended
    clearTimeout(force)
  }

  /** Background streams take what is left over, so nothing is set aside for them. */
  #share(model: ModelId, settings: RecogniserSettings, kind: StreamKind): number {
    if (kind === 'background') return 0
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
        this.#receiveOfStream(message.stream, message.message, message)
        break
      case 'broken':
        this.#lose(new Error(message.problem))
        break
      case 'pong':
        break
    }
  }

  #receiveOfStream(id: number, message: FromStream, done: WorkDone): void {
    if (message.type === 'heard') this.#events.step(done.workMs)
    if (this.#load.record(this.#now(), id, done)) this.#events.loadChanged()
    this.#streams.get(id)?.stream.receive(message)
  }

  /** Sends a ping, and gives the engine up when the last one was not answered in time. Loading may take longer. */
  #checkAnswer(): void {
    if (!this.warm) return
    if (this.#load.advance(this.#now())) this.#events.loadChanged()
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

  /** A message that cannot be sent goes to an engine that is just dying; the `exit` event follows. */
  #post(message: ToEngine): void {
    if (this.#process.connected) this.#process.send(message, error => error && this.#lose(error))
  }
}

/** A process that could not even be started has no end to wait for. */
function endOf(process: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    process.once('exit', () => resolve())
    process.once('error', () => process.pid === undefined && resolve())
  })
}
