// The model's three graphs in the plainest loop over ONNX Runtime: what an engine costs above this is the engine's own, and where an
// engine says something else, this tells which of the two is right.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogMel, newFeatureState } from '@sauti/server/recogniser/engine/features/features.js'
import { InferenceSession, Tensor } from 'onnxruntime-node'

const HOP = 160
const SUBSAMPLING = 8
const MAX_SYMBOLS = 10

/** The joiner's scores at one place, and the symbol that was taken there after `said` pieces. */
export interface Decision {
  readonly said: number
  readonly taken: number
  readonly scores: Float32Array
}

export class PlainDecoder {
  readonly pieces: readonly string[]
  readonly #manifest
  readonly #encoder: InferenceSession
  readonly #decoder: InferenceSession
  readonly #joiner: InferenceSession

  private constructor(folder: string, sessions: readonly InferenceSession[]) {
    this.#manifest = readManifest(folder)
    const tokens = readFileSync(join(folder, this.#manifest.files.tokens.path), 'utf8')
    this.pieces = tokens
      .trimEnd()
      .split('\n')
      .map(line => line.split(' ')[0]!)
    ;[this.#encoder, this.#decoder, this.#joiner] = sessions as [
      InferenceSession,
      InferenceSession,
      InferenceSession,
    ]
  }

  static async open(folder: string): Promise<PlainDecoder> {
    const { files } = readManifest(folder)
    const open = (part: string) =>
      InferenceSession.create(join(folder, files[part].path), { intraOpNumThreads: 1, interOpNumThreads: 1 })
    return new PlainDecoder(folder, await Promise.all(['encoder', 'decoder', 'joiner'].map(open)))
  }

  /** [bins, frames] of the audio in one piece. */
  features(audio: Int16Array, frames: number): Float32Array {
    const features = new Float32Array(this.melBins * frames)
    new LogMel(this.#manifest.features, frames * HOP).write(
      newFeatureState(),
      audio,
      frames,
      features,
      frames,
      0,
    )
    return features
  }

  /** Windows of whole chunks. `history` fills the frames before the first one. */
  windows(audio: Int16Array, lookAhead: number, history = 0): Tensor[] {
    const frames = lookAhead + 1
    const chunks = Math.ceil(audio.length / samplesOf(frames))
    return this.#cut(audio, Array<number>(chunks).fill(frames), history)
  }

  /** Windows of whole chunks, and a last one with the rest of the audio and so many frames of silence. */
  utterance(audio: Int16Array, lookAhead: number, tailFrames: number): Tensor[] {
    const frames = lookAhead + 1
    const chunks = Math.floor(audio.length / samplesOf(frames))
    const rest = Math.ceil((audio.length - chunks * samplesOf(frames)) / samplesOf(1))
    return this.#cut(audio, [...Array<number>(chunks).fill(frames), rest + tailFrames], 0)
  }

  /** One window for each step of so many encoder frames; where samples are missing there is silence. */
  #cut(audio: Int16Array, steps: readonly number[], history: number): Tensor[] {
    const { pre_encode_cache: before } = this.#manifest.encoder
    const bins = this.melBins
    const logMel = new LogMel(this.#manifest.features, samplesOf(Math.max(...steps)))
    const state = newFeatureState()
    const last = new Float32Array(bins * before).fill(history)
    let at = 0
    return steps.map(step => {
      const columns = before + step * SUBSAMPLING
      const window = new Float32Array(bins * columns)
      for (let bin = 0; bin < bins; bin++)
        window.set(last.subarray(bin * before, (bin + 1) * before), bin * columns)
      const samples = audio.subarray(at, at + samplesOf(step))
      at += samplesOf(step)
      logMel.write(state, samples, step * SUBSAMPLING, window, columns, before)
      for (let bin = 0; bin < bins; bin++)
        last.set(window.subarray((bin + 1) * columns - before, (bin + 1) * columns), bin * before)
      return new Tensor('float32', window, [1, bins, columns])
    })
  }

  get melBins(): number {
    return this.#manifest.features.mel_bins
  }

  async decode(windows: readonly Tensor[], watch?: (decision: Decision) => void): Promise<string> {
    const { encoder, decoder, vocab_size: blank } = this.#manifest
    let caches = [
      zeros([1, encoder.layers, encoder.left, encoder.dim]),
      zeros([1, encoder.layers, encoder.dim, encoder.conv_cache]),
      int64(0),
    ]
    const start = [zeros([decoder.layers, 1, decoder.hidden]), zeros([decoder.layers, 1, decoder.hidden])]
    let said = await this.#say(blank, start)
    const pieces: string[] = []
    for (const window of windows) {
      const out = await run(this.#encoder, [window, int64(window.dims[2]!), ...caches, ...this.#prompt()])
      caches = out.slice(2)
      const frames = (window.dims[2]! - encoder.pre_encode_cache) / SUBSAMPLING
      for (const frame of framesOf(out[0]!, frames)) {
        for (let symbols = 0; symbols < MAX_SYMBOLS; symbols++) {
          const [scores] = await run(this.#joiner, [frame, said.prediction])
          const best = argmax(scores!.data as Float32Array)
          watch?.({ said: pieces.length, taken: best, scores: scores!.data as Float32Array })
          if (best === blank) break
          pieces.push(this.pieces[best]!)
          said = await this.#say(best, said.state)
        }
      }
    }
    return pieces.join('').replaceAll('▁', ' ').trim()
  }

  async #say(
    piece: number,
    state: readonly Tensor[],
  ): Promise<{ prediction: Tensor; state: readonly Tensor[] }> {
    const target = new Tensor('int32', Int32Array.of(piece), [1, 1])
    const out = await run(this.#decoder, [target, new Tensor('int32', Int32Array.of(1), [1]), ...state])
    return { prediction: out[0]!, state: out.slice(2) }
  }

  #prompt(): Tensor[] {
    return this.#manifest.prompt_index === null ? [] : [int64(this.#manifest.prompt_index)]
  }
}

function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
}

function* framesOf(encoded: Tensor, frames: number): Generator<Tensor> {
  const values = encoded.data as Float32Array
  const size = values.length / frames
  for (let frame = 0; frame < frames; frame++) {
    const row = new Float32Array(size)
    for (let i = 0; i < size; i++) row[i] = values[i * frames + frame]!
    yield new Tensor('float32', row, [1, size, 1])
  }
}

async function run(session: InferenceSession, inputs: readonly Tensor[]): Promise<Tensor[]> {
  const results = await session.run(
    Object.fromEntries(inputs.map((tensor, i) => [session.inputNames[i]!, tensor])),
  )
  return session.outputNames.map(name => results[name] as Tensor)
}

function argmax(scores: Float32Array): number {
  let best = scores.length - 1
  for (let i = 0; i < scores.length; i++) if (scores[i]! > scores[best]!) best = i
  return best
}

function samplesOf(encoderFrames: number): number {
  return encoderFrames * SUBSAMPLING * HOP
}

function zeros(shape: readonly number[]): Tensor {
  return new Tensor('float32', new Float32Array(shape.reduce((a, b) => a * b, 1)), shape)
}

function int64(value: number): Tensor {
  return new Tensor('int64', BigInt64Array.of(BigInt(value)), [1])
}
