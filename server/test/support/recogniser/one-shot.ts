// The plain way to decode a clip, written apart from the engine: all features first, the encoder chunk by chunk, one symbol at a time; or,
// where the package has a language model, the engine's search over all frames at once. Whatever the engine does with buffers, batches and
// messages must come to the same pieces.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { LogMel, newFeatureState } from '#server/recogniser/engine/features/features.js'
import { loadModel, type Model } from '#server/recogniser/engine/model.js'
import { Sessions } from '#server/recogniser/engine/onnx-sessions.js'
import { BeamSearch } from '#server/recogniser/engine/search/beam-search.js'
import { NO_PHRASES } from '#server/recogniser/engine/search/phrase-tree.js'
import { openModelPackage } from '#server/recogniser/package/model-package.js'

export interface SaidPiece {
  readonly piece: string
  readonly frame: number
  readonly probability: number
}

const HISTORY = 9
const SUBSAMPLING = 8
const SAMPLES_A_FRAME = 1280
/** A chunk and the silence after it. */
const MAX_STEP = 22
const TAIL_FRAMES = 8
const MAX_TAIL_FRAMES = 24
const MAX_SYMBOLS = 10

type Tensors = Record<string, Tensor>

export class OneShot {
  readonly #manifest
  readonly #pieces: string[]
  readonly #sessions: Record<'encoder' | 'decoder' | 'joiner', InferenceSession>
  readonly #model: Model

  private constructor(
    folder: string,
    model: Model,
    sessions: Record<'encoder' | 'decoder' | 'joiner', InferenceSession>,
  ) {
    this.#model = model
    this.#manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    const tokens = readFileSync(join(folder, this.#manifest.files.tokens.path), 'utf8')
    this.#pieces = tokens
      .trimEnd()
      .split('\n')
      .map(line => line.split(' ')[0]!)
    this.#sessions = sessions
  }

  static async open(folder: string, languageModel: 'on' | 'off' = 'on'): Promise<OneShot> {
    const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    const open = (part: string) =>
      InferenceSession.create(join(folder, files[part].path), { intraOpNumThreads: 1, interOpNumThreads: 1 })
    const [encoder, decoder, joiner] = await Promise.all([open('encoder'), open('decoder'), open('joiner')])
    const model = loadModel(await openModelPackage(folder), new Sessions({ provider: 'cpu', threads: 1 }))
    const used = languageModel === 'on' ? model : { ...model, languageModel: undefined }
    return new OneShot(folder, used, { encoder, decoder, joiner })
  }

  async decode(samples: Int16Array, lookAhead: number): Promise<SaidPiece[]> {
    const audioFrames = Math.ceil(samples.length / SAMPLES_A_FRAME)
    const whole = Math.floor(samples.length / SAMPLES_A_FRAME / (lookAhead + 1)) * (lookAhead + 1)
    const steps: number[] = Array(whole / (lookAhead + 1)).fill(lookAhead + 1)
    let frames = audioFrames + TAIL_FRAMES
    for (let left = frames - whole; left > 0; left -= MAX_STEP) steps.push(Math.min(left, MAX_STEP))
    for (;;) {
      const encoded = await this.#encode(this.#features(samples, steps), steps)
      const said = this.#model.languageModel ? this.#searchAtOnce(encoded) : await this.#search(encoded)
      const speaking = (said.at(-1)?.frame ?? -99) >= frames - 4
      if (!speaking || frames >= audioFrames + MAX_TAIL_FRAMES) return said
      frames += TAIL_FRAMES
      steps.push(TAIL_FRAMES)
    }
  }

  /** [column][bin], the history of zeros first. */
  #features(samples: Int16Array, steps: readonly number[]): Float32Array[] {
    const bins = this.#manifest.features.mel_bins
    const columns = steps.reduce((sum, step) => sum + step, 0) * SUBSAMPLING
    const values = new Float32Array(bins * columns)
    const logMel = new LogMel(this.#manifest.features, Math.max(...steps) * SAMPLES_A_FRAME)
    const state = newFeatureState()
    let at = 0
    for (const step of steps) {
      const heard = samples.subarray(at * SAMPLES_A_FRAME)
      logMel.write(state, heard, step * SUBSAMPLING, values, columns, at * SUBSAMPLING)
      at += step
    }
    const column = (t: number) => Float32Array.from({ length: bins }, (_, bin) => values[bin * columns + t]!)
    return [
      ...Array.from({ length: HISTORY }, () => new Float32Array(bins)),
      ...Array.from({ length: columns }, (_, t) => column(t)),
    ]
  }

  async #encode(features: Float32Array[], steps: readonly number[]): Promise<Float32Array[]> {
    const { layers, left, dim, conv_cache } = this.#manifest.encoder
    const bins = this.#manifest.features.mel_bins
    let channel = zeros([1, layers, left, dim])
    let time = zeros([1, layers, dim, conv_cache])
    let filled = int64(0)
    const encoded: Float32Array[] = []
    let at = 0
    for (const frames of steps) {
      const columns = HISTORY + frames * SUBSAMPLING
      const window = zeros([1, bins, columns])
      for (let t = 0; t < columns; t++)
        for (let bin = 0; bin < bins; bin++)
          (window.data as Float32Array)[bin * columns + t] = features[at + t]![bin]!
      const feeds: Tensors = named(this.#sessions.encoder, [window, int64(columns), channel, time, filled])
      if (this.#manifest.prompt_index !== null) feeds.prompt_index = int64(this.#manifest.prompt_index)
      const out = await run(this.#sessions.encoder, feeds)
      for (let f = 0; f < frames; f++)
        encoded.push(
          Float32Array.from({ length: dim }, (_, i) => (out[0]!.data as Float32Array)[i * frames + f]!),
        )
      ;[, , channel, time, filled] = out as [Tensor, Tensor, Tensor, Tensor, Tensor]
      at += frames * SUBSAMPLING
    }
    return encoded
  }

  #searchAtOnce(encoded: readonly Float32Array[]): SaidPiece[] {
    const { transducer, languageModel, frameScorer, silence } = this.#model
    const scoresFrames = frameScorer !== undefined
    const search = new BeamSearch(transducer, { phrases: NO_PHRASES, languageModel, silence, scoresFrames })
    const frames = Float32Array.from(encoded.flatMap(frame => [...frame]))
    const alone =
      frameScorer && (() => Float32Array.from(encoded.flatMap(frame => [...frameScorer.score(frame, 1)])))
    const emissions = [
      ...search.advance(transducer.prepare(frames, encoded.length), encoded.length, alone),
      ...search.finish(),
    ]
    return emissions.map(({ piece, frame, logProbability }) => ({
      piece: this.#pieces[piece]!,
      frame,
      probability: Math.exp(logProbability),
    }))
  }

  async #search(encoded: readonly Float32Array[]): Promise<SaidPiece[]> {
    const blank = this.#manifest.vocab_size
    const { layers, hidden } = this.#manifest.decoder
    const said: SaidPiece[] = []
    let state = [zeros([layers, 1, hidden]), zeros([layers, 1, hidden])]
    let prediction = zeros([0])
    const predict = async (piece: number) => {
      const target = new Tensor('int32', Int32Array.of(piece), [1, 1])
      const length = new Tensor('int32', Int32Array.of(1), [1])
      const out = await run(this.#sessions.decoder, named(this.#sessions.decoder, [target, length, ...state]))
      prediction = out[0]!
      state = [out[2]!, out[3]!]
    }
    await predict(blank)
    for (const [frame, row] of encoded.entries()) {
      for (let symbols = 0; symbols < MAX_SYMBOLS; symbols++) {
        const input = new Tensor('float32', row, [1, row.length, 1])
        const [scores] = await run(this.#sessions.joiner, named(this.#sessions.joiner, [input, prediction]))
        const values = [...(scores!.data as Float32Array)]
        const largest = Math.max(...values)
        const best = values[blank] === largest ? blank : values.indexOf(largest)
        if (best === blank) break
        const probability = 1 / values.reduce((sum, value) => sum + Math.exp(value - largest), 0)
        said.push({ piece: this.#pieces[best]!, frame, probability })
        await predict(best)
      }
    }
    return said
  }
}

function zeros(shape: readonly number[]): Tensor {
  return new Tensor('float32', new Float32Array(shape.reduce((a, b) => a * b, 1)), shape)
}

function int64(value: number): Tensor {
  return new Tensor('int64', BigInt64Array.of(BigInt(value)), [1])
}

function named(session: InferenceSession, tensors: readonly Tensor[]): Tensors {
  return Object.fromEntries(tensors.map((tensor, i) => [session.inputNames[i]!, tensor]))
}

async function run(session: InferenceSession, feeds: Tensors): Promise<Tensor[]> {
  const results = await session.run(feeds)
  return session.outputNames.map(name => results[name] as Tensor)
}
