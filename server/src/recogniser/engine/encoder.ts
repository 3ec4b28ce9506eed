// Step 5: the encoder. One run takes a window of features and the stream's caches and gives encoded frames and the next caches. All
// buffers are allocated once and written in place by the runtime; a stream's caches and the spare ones change places after each run.

import { Tensor } from 'onnxruntime-node'
import type { ModelPackage } from '../package/model-package.ts'
import type { Run, Session, Tensors } from './onnx-sessions.ts'

/** Inputs and outputs are known by their places, not by their names. */
type Names = [string, string, string, string, string]

/** What the encoder remembers of one utterance. */
export interface EncoderCache {
  channel: Tensor
  time: Tensor
  filled: Tensor
}

/** The buffers of steps of one length. */
interface Step extends Run {
  readonly features: Float32Array
  readonly encoded: Float32Array
}

export class Encoder {
  /** Frames of features before the new ones of a step. */
  readonly historyFrames: number
  readonly melBins: number
  readonly encodedSize: number
  readonly #session: Session
  readonly #package: ModelPackage
  readonly #steps = new Map<number, Step>()
  readonly #unused: EncoderCache[] = []
  #spare: EncoderCache
  #rows: Float32Array

  constructor(session: Session, modelPackage: ModelPackage) {
    this.#session = session
    this.#package = modelPackage
    this.historyFrames = modelPackage.manifest.encoder.pre_encode_cache
    this.melBins = modelPackage.manifest.features.mel_bins
    this.encodedSize = modelPackage.encodedSize
    this.#spare = this.#allocateCache()
    this.#rows = new Float32Array(0)
  }

  /** A cleared cache for a new utterance. Give it back with `releaseCache`. */
  takeCache(): EncoderCache {
    const cache = this.#unused.pop()
    if (cache === undefined) return this.#allocateCache()
    ;(cache.channel.data as Float32Array).fill(0)
    ;(cache.time.data as Float32Array).fill(0)
    ;(cache.filled.data as BigInt64Array)[0] = 0n
    return cache
  }

  releaseCache(cache: EncoderCache): void {
    this.#unused.push(cache)
  }

  /** The feature window [mel, history + 8 x frames] of a step with this many encoder frames, to be filled before `run`. */
  features(frames: number): Float32Array {
    return this.#step(frames).features
  }

  columns(frames: number): number {
    return this.historyFrames + frames * this.#package.manifest.encoder.subsampling
  }

  /** Runs a step on the filled window. The result [frames, encodedSize] is valid until the next run. */
  run(cache: EncoderCache, frames: number): Float32Array {
    const step = this.#step(frames)
    const { inputs, outputs } = step
    const [, , channel, time, filled] = this.#session.inputNames as unknown as Names
    inputs[channel] = cache.channel
    inputs[time] = cache.time
    inputs[filled] = cache.filled
    const [, , nextChannel, nextTime, nextFilled] = this.#session.outputNames as unknown as Names
    const spare = this.#spare
    outputs[nextChannel] = spare.channel
    outputs[nextTime] = spare.time
    outputs[nextFilled] = spare.filled
    this.#session.run(step)
    this.#spare = { ...cache }
    Object.assign(cache, spare)
    return this.#transpose(step.encoded, frames)
  }

  /** Whether it gives all frames of a step of this length. */
  canStep(frames: number): boolean {
    const cache = this.#allocateCache()
    try {
      this.run(cache, frames)
      return true
    } catch {
      this.#steps.delete(frames)
      return false
    }
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

  #step(frames: number): Step {
    let step = this.#steps.get(frames)
    if (step === undefined) {
      step = this.#allocateStep(frames)
      this.#steps.set(frames, step)
    }
    return step
  }

  #allocateStep(frames: number): Step {
    const columns = this.columns(frames)
    const features = new Float32Array(this.melBins * columns)
    const encoded = new Float32Array(this.encodedSize * frames)
    const [signal, length] = this.#session.inputNames as unknown as Names
    const [encodedName] = this.#session.outputNames as unknown as Names
    const inputs: Tensors = {
      [signal]: new Tensor('float32', features, [1, this.melBins, columns]),
      [length]: int64(columns),
    }
    const { prompt_index } = this.#package.manifest
    if (prompt_index !== null) inputs.prompt_index = int64(prompt_index)
    const outputs: Tensors = { [encodedName]: new Tensor('float32', encoded, [1, this.encodedSize, frames]) }
    return { features, inputs, outputs, encoded }
  }

  #allocateCache(): EncoderCache {
    const { layers, left, dim, conv_cache } = this.#package.manifest.encoder
    return {
      channel: new Tensor('float32', new Float32Array(layers * left * dim), [1, layers, left, dim]),
      time: new Tensor('float32', new Float32Array(layers * dim * conv_cache), [1, layers, dim, conv_cache]),
      filled: int64(0),
    }
  }
}

function int64(value: number): Tensor {
  return new Tensor('int64', BigInt64Array.of(BigInt(value)), [1])
}
