// Step 5: the encoder. One run takes windows of features and the caches of their utterances and gives encoded frames and the next caches.
// All buffers are allocated once and written in place by the runtime. The caches of a single utterance and the spare ones change places
// after a run. Those of several are copied together and apart again: that costs far less than to read all weights for each of them.

import type { ModelPackage } from '../package/model-package.ts'
import {
  clearCache,
  divideCaches,
  type EncoderCache,
  firstRows,
  floats,
  integers,
  joinCaches,
  newCache,
} from './encoder-cache.ts'
import type { Run, Session, Tensors } from './onnx-sessions.ts'

/** Inputs and outputs are known by their places, not by their names. */
type Names = [string, string, string, string, string]

/** Four utterances in one run cost 70 % of four runs. Eight would cost 65 %, and everyone else would wait twice as long. */
const MOST_TOGETHER = 4
/** Steps with which it is tried whether neighbours change a result. */
const TRIED_FRAMES = 4

/** The buffers of steps of one length with one number of utterances. */
interface Step extends Run {
  readonly features: Float32Array
  readonly prompts: BigInt64Array
  readonly encoded: Float32Array
}

/** What the encoder knows of an utterance. */
export interface Encoding extends EncoderCache {
  readonly prompt: bigint
}

export class Encoder {
  /** Frames of features before the new ones of a step. */
  readonly historyFrames: number
  readonly melBins: number
  readonly encodedSize: number
  /** Most utterances in one run. */
  readonly mostTogether: number
  readonly #session: Session
  readonly #package: ModelPackage
  readonly #steps = new Map<string, Step>()
  readonly #joined: { readonly before: EncoderCache; readonly after: EncoderCache }[] = []
  readonly #unused: EncoderCache[] = []
  #spare: EncoderCache
  #rows: Float32Array

  constructor(session: Session, modelPackage: ModelPackage) {
    this.#session = session
    this.#package = modelPackage
    this.historyFrames = modelPackage.manifest.encoder.pre_encode_cache
    this.melBins = modelPackage.manifest.features.mel_bins
    this.encodedSize = modelPackage.encodedSize
    this.#spare = newCache(modelPackage.manifest)
    this.#rows = new Float32Array(0)
    this.mostTogether = modelPackage.encodesBatches && this.#givesTheSameTogether() ? MOST_TOGETHER : 1
  }

  /** For a new utterance. Give it back with `release`. */
  begin(prompt: number | null): Encoding {
    const cache = this.#unused.pop() ?? newCache(this.#package.manifest)
    clearCache(cache)
    return { ...cache, prompt: BigInt(prompt ?? 0) }
  }

  release({ channel, time, filled }: Encoding): void {
    this.#unused.push({ channel, time, filled })
  }

  /** The feature window [mel, history + 8 x frames] of utterance `row` of a step with this many encoder frames, to be filled before `run`. */
  features(frames: number, together = 1, row = 0): Float32Array {
    const size = this.melBins * this.columns(frames)
    return this.#step(frames, together).features.subarray(row * size, (row + 1) * size)
  }

  columns(frames: number): number {
    return this.historyFrames + frames * this.#package.manifest.encoder.subsampling
  }

  /** Runs a step on the filled windows. */
  run(encodings: readonly Encoding[], frames: number): void {
    const [only] = encodings as [Encoding]
    if (encodings.length > 1) this.#runJoined(encodings, frames)
    else this.#runInPlace(only, frames)
  }

  /** What the last run gave utterance `row`: [frames, encodedSize], valid until the next call. */
  encoded(frames: number, together = 1, row = 0): Float32Array {
    const size = this.encodedSize * frames
    return this.#transpose(
      this.#step(frames, together).encoded.subarray(row * size, (row + 1) * size),
      frames,
    )
  }

  /** Whether it gives all frames of a step of this length. */
  canStep(frames: number): boolean {
    const encoding = this.begin(0)
    try {
      this.run([encoding], frames)
      return true
    } catch {
      this.#steps.delete(stepKey(frames, 1))
      return false
    } finally {
      this.release(encoding)
    }
  }

  #runInPlace(encoding: Encoding, frames: number): void {
    const after = this.#spare
    this.#runStep(this.#step(frames, 1), encoding, after, [encoding.prompt])
    const { channel, time, filled } = encoding
    this.#spare = { channel, time, filled }
    Object.assign(encoding, after)
  }

  #runJoined(encodings: readonly Encoding[], frames: number): void {
    const rows = encodings.length
    const joined = this.#joinedCaches(rows)
    joinCaches(encodings, joined.before)
    const prompts = encodings.map(({ prompt }) => prompt)
    this.#runStep(this.#step(frames, rows), joined.before, joined.after, prompts)
    divideCaches(joined.after, encodings)
  }

  /** All numbers of rows share the memory of the most. */
  #joinedCaches(rows: number): { readonly before: EncoderCache; readonly after: EncoderCache } {
    if (this.#joined.length === 0) {
      const { manifest } = this.#package
      const [before, after] = [newCache(manifest, MOST_TOGETHER), newCache(manifest, MOST_TOGETHER)]
      for (let count = 0; count <= MOST_TOGETHER; count++)
        this.#joined.push({ before: firstRows(before, count), after: firstRows(after, count) })
    }
    return this.#joined[rows]!
  }

  #runStep(step: Step, before: EncoderCache, after: EncoderCache, prompts: readonly bigint[]): void {
    const { inputs, outputs } = step
    const [, , channel, time, filled] = this.#session.inputNames as unknown as Names
    inputs[channel] = before.channel
    inputs[time] = before.time
    inputs[filled] = before.filled
    const [, , nextChannel, nextTime, nextFilled] = this.#session.outputNames as unknown as Names
    outputs[nextChannel] = after.channel
    outputs[nextTime] = after.time
    outputs[nextFilled] = after.filled
    step.prompts.set(prompts)
    this.#session.run(step)
  }

  /** Tried, because other processors have other arithmetic. */
  #givesTheSameTogether(): boolean {
    const frames = TRIED_FRAMES
    const rows = [0, 1]
    const alone = rows.map(row => this.#try(frames, [row])[0]!)
    try {
      return this.#try(frames, rows).every((given, row) => isSame(alone[row]!, given))
    } catch {
      return false
    }
  }

  /** What it gives to patterns, side by side in one run. */
  #try(frames: number, rows: readonly number[]): Float32Array[] {
    const encodings = rows.map(() => this.begin(0))
    for (const [at, row] of rows.entries()) {
      const window = this.features(frames, rows.length, at)
      window.set(pattern(row, window.length))
    }
    this.run(encodings, frames)
    for (const encoding of encodings) this.release(encoding)
    return rows.map((_, at) => this.encoded(frames, rows.length, at).slice(0, frames * this.encodedSize))
  }

  /** [size, frames] as the graph gives it to [frames, size] as the joiner takes it. */
  #transpose(encoded: Float32Array, frames: number): Float32Array {
    const size = this.encodedSize
    if (this.#rows.length < encoded.length) this.#rows = new Float32Array(encoded.length)
    const rows = this.#rows
    for (let i = 0; i < size; i++) {
      for (let frame = 0; frame < frames; frame++) rows[frame * size + i] = encoded[i * frames + frame]!
    }
    return rows
  }

  #step(frames: number, rows: number): Step {
    const key = stepKey(frames, rows)
    let step = this.#steps.get(key)
    if (step === undefined) {
      step = this.#allocateStep(frames, rows)
      this.#steps.set(key, step)
    }
    return step
  }

  #allocateStep(frames: number, rows: number): Step {
    const columns = this.columns(frames)
    const features = floats([rows, this.melBins, columns])
    const encoded = floats([rows, this.encodedSize, frames])
    const prompts = integers(rows)
    const [signal, length] = this.#session.inputNames as unknown as Names
    const [encodedName] = this.#session.outputNames as unknown as Names
    const inputs: Tensors = { [signal]: features, [length]: integers(rows, columns) }
    if (this.#package.manifest.prompt_index !== null) inputs.prompt_index = prompts
    return {
      inputs,
      outputs: { [encodedName]: encoded },
      features: features.data as Float32Array,
      prompts: prompts.data as BigInt64Array,
      encoded: encoded.data as Float32Array,
    }
  }
}

function stepKey(frames: number, rows: number): string {
  return `${frames} x ${rows}`
}

/** Something like features, different for every row. */
function pattern(row: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => ((i * (7919 + 2 * row)) % (101 + row)) / 10 - 8)
}

function isSame(expected: Float32Array, given: Float32Array): boolean {
  return expected.every((value, i) => value === given[i])
}
