// A contender: the model's three graphs in the plainest loop over ONNX Runtime. Features are computed beforehand and not counted. What
// an engine costs above this is the engine's own.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogMel, newFeatureState } from '@sauti/server/recogniser/features.js'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { speech } from './clips.ts'
import { type Round, serveRounds } from './round.ts'

const folder = process.argv[2]!
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
const open = (part: string) =>
  InferenceSession.create(join(folder, manifest.files[part].path), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  })
const [encoder, decoder, joiner] = await Promise.all([open('encoder'), open('decoder'), open('joiner')])

const HISTORY: number = manifest.encoder.pre_encode_cache
const BINS: number = manifest.features.mel_bins
const blank: number = manifest.vocab_size

serveRounds(async round => {
  const windows = makeWindows(round)
  return runModel(windows, round.lookAhead + 1)
})

function makeWindows({ lookAhead, chunks }: Round): Tensor[] {
  const frames = (lookAhead + 1) * 8
  const audio = speech(chunks * frames * 160)
  const logMel = new LogMel(BINS, frames * 160)
  const state = newFeatureState()
  const columns = HISTORY + frames
  let before = new Float32Array(BINS * columns)
  return Array.from({ length: chunks }, (_, i) => {
    const window = new Float32Array(BINS * columns)
    for (let bin = 0; bin < BINS; bin++)
      for (let t = 0; t < HISTORY; t++) window[bin * columns + t] = before[bin * columns + frames + t]!
    logMel.write(
      state,
      audio.subarray(i * frames * 160, (i + 1) * frames * 160),
      frames,
      window,
      columns,
      HISTORY,
    )
    before = window
    return new Tensor('float32', window, [1, BINS, columns])
  })
}

async function runModel(windows: readonly Tensor[], frames: number): Promise<number> {
  const { layers, left, dim, conv_cache } = manifest.encoder
  const hidden: number = manifest.decoder.hidden
  let caches = [zeros([1, layers, left, dim]), zeros([1, layers, dim, conv_cache]), int64(0)]
  let state = [zeros([manifest.decoder.layers, 1, hidden]), zeros([manifest.decoder.layers, 1, hidden])]
  let prediction = zeros([1, hidden, 1])
  let pieces = 0
  const predict = async (piece: number) => {
    const target = new Tensor('int32', Int32Array.of(piece), [1, 1])
    const out = await run(decoder, [target, new Tensor('int32', Int32Array.of(1), [1]), ...state])
    prediction = out[0]!
    state = [out[2]!, out[3]!]
  }
  await predict(blank)
  for (const window of windows) {
    const prompt = manifest.prompt_index === null ? [] : [int64(manifest.prompt_index)]
    const out = await run(encoder, [window, int64(window.dims[2]!), ...caches, ...prompt])
    caches = out.slice(2)
    const encoded = out[0]!.data as Float32Array
    const size = encoded.length / frames
    for (let frame = 0; frame < frames; frame++) {
      const row = new Float32Array(size)
      for (let i = 0; i < size; i++) row[i] = encoded[i * frames + frame]!
      const input = new Tensor('float32', row, [1, size, 1])
      for (let symbols = 0; symbols < 10; symbols++) {
        const best = argmax((await run(joiner, [input, prediction]))[0]!.data as Float32Array)
        if (best === blank) break
        await predict(best)
        pieces++
      }
    }
  }
  return pieces
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

function zeros(shape: readonly number[]): Tensor {
  return new Tensor('float32', new Float32Array(shape.reduce((a, b) => a * b, 1)), shape)
}

function int64(value: number): Tensor {
  return new Tensor('int64', BigInt64Array.of(BigInt(value)), [1])
}
