// A recogniser that keeps the port's promises and fails on command: stalls, dies, has no slot. Its text tells what it heard,
// so that a test can say which audio an event speaks of: one letter for each 100 ms, made from the first sample of it.

import { LOOK_AHEADS, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import { MODEL_IDS } from '@sauti/protocol/models'
import { StreamEvents } from '#server/recogniser/pool/stream-events.js'
import type {
  Recogniser,
  RecogniserListener,
  RecogniserSettings,
  RecogniserStream,
} from '#server/recogniser/port.js'

const LETTER_SAMPLES = 1600
const ITEMS_A_STEP = 100

type Work =
  | { type: 'audio'; samples: Int16Array }
  | { type: 'flush' }
  | { type: 'reset' }
  | { type: 'configure'; settings: RecogniserSettings }

export class ScriptedRecogniser implements Recogniser {
  readonly models = MODEL_IDS
  capacity = 1000
  readonly heldBack = 0
  readonly streams = new Set<ScriptedStream>()
  #opening: Promise<void> | undefined
  /** While true, there is no slot. */
  refusing = false
  /** Comes before the text of every final, to make it as long as a test needs. */
  padding = ''
  /** While true, streams take nothing off their queues. */
  stalled = false

  get openStreams(): number {
    return this.streams.size
  }

  lookAheads(): typeof LOOK_AHEADS {
    return LOOK_AHEADS
  }

  async open(_model: string, settings: RecogniserSettings, signal?: AbortSignal): Promise<RecogniserStream> {
    await this.#opening
    if (signal?.aborted || this.refusing) throw new ServiceError('engine_unavailable')
    const stream = new ScriptedStream(this, settings)
    this.streams.add(stream)
    return stream
  }

  /** From here on open() waits, until the function that it returns is called. */
  holdOpening(): () => void {
    let letGo: () => void = () => undefined
    this.#opening = new Promise(resolve => {
      letGo = resolve
    })
    return () => {
      this.#opening = undefined
      letGo()
    }
  }

  setStalled(stalled: boolean): void {
    this.stalled = stalled
    for (const stream of this.streams) stream.wake()
  }

  async close(): Promise<void> {
    for (const stream of this.streams) stream.close()
  }
}

export class ScriptedStream implements RecogniserStream {
  queuedSamples = 0
  settings: RecogniserSettings
  readonly #events = new StreamEvents()
  readonly #owner: ScriptedRecogniser
  readonly #work: Work[] = []
  #closed = false
  #scheduled = false
  #text = ''
  #pending = 0
  #heard = 0

  constructor(owner: ScriptedRecogniser, settings: RecogniserSettings) {
    this.#owner = owner
    this.settings = settings
  }

  /** What it was asked for and has not done yet. */
  get waiting(): number {
    return this.#work.length
  }

  listen(listener: RecogniserListener): void {
    this.#events.listen(listener)
  }

  push(samples: Int16Array): void {
    this.queuedSamples += samples.length
    this.#put({ type: 'audio', samples: samples.slice() })
  }

  flush(): void {
    this.#put({ type: 'flush' })
  }

  /** Audio after the last flush is dropped from the queue; a flush before it is still answered. */
  reset(): void {
    while (this.#work.at(-1)?.type === 'audio') {
      const { samples } = this.#work.pop() as Extract<Work, { type: 'audio' }>
      this.queuedSamples -= samples.length
      this.#heard += samples.length
    }
    this.#put({ type: 'reset' })
  }

  configure(settings: RecogniserSettings): void {
    this.#put({ type: 'configure', settings })
  }

  /** Breaks the engine under this stream. */
  die(error: Error = new ServiceError('engine_unavailable')): void {
    this.#events.fail(error)
  }

  close(): void {
    this.#closed = true
    this.#owner.streams.delete(this)
    this.#events.end()
  }

  wake(): void {
    if (this.#scheduled || this.#owner.stalled) return
    this.#scheduled = true
    setImmediate(() => this.#step())
  }

  #put(work: Work): void {
    this.#work.push(work)
    this.wake()
  }

  #step(): void {
    this.#scheduled = false
    if (this.#owner.stalled || this.#closed) return
    for (const work of this.#work.splice(0, ITEMS_A_STEP)) this.#do(work)
    if (this.#work.length > 0) this.wake()
  }

  #do(work: Work): void {
    if (work.type === 'audio') this.#hear(work.samples)
    else if (work.type === 'flush') this.#finish()
    else if (work.type === 'reset') this.#drop()
    else this.#configure(work.settings)
  }

  #hear(samples: Int16Array): void {
    this.queuedSamples -= samples.length
    const before = this.#text
    for (const sample of samples) {
      if (this.#pending === 0) this.#text += String.fromCharCode(97 + (Math.abs(sample) % 26))
      this.#pending = (this.#pending + 1) % LETTER_SAMPLES
    }
    this.#heard += samples.length
    this.#events.emit({ type: 'progress' })
    if (this.#text === before) return
    this.#events.emit({
      type: 'delta',
      text: this.#text,
      append: this.#text.slice(before.length),
      words: [],
      audioMs: this.#audioMs,
    })
  }

  #finish(): void {
    const text = this.#owner.padding + this.#text
    this.#clear()
    this.#events.emit({ type: 'final', text, words: [], audioMs: this.#audioMs })
  }

  #drop(): void {
    this.#clear()
    this.#events.emit({ type: 'reset' })
  }

  #configure(settings: RecogniserSettings): void {
    this.settings = settings
    this.#events.emit({ type: 'configured' })
  }

  #clear(): void {
    this.#text = ''
    this.#pending = 0
  }

  get #audioMs(): number {
    return Math.floor(this.#heard / SAMPLES_PER_MS)
  }
}
