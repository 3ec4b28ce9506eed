// sherpa-onnx on one of our packages. The few words of it that we use are typed here: it has no types of its own.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const RATE = 16_000
/** It computes a chunk only when nine frames of the next one are there. */
const LATE_SAMPLES = 12 * 160

interface SherpaStream {
  acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void
  setOption(key: string, value: string): void
}

interface SherpaRecogniser {
  createStream(): SherpaStream
  isReady(stream: SherpaStream): boolean
  decode(stream: SherpaStream): void
  getResult(stream: SherpaStream): { readonly text: string; readonly tokens: readonly string[] }
}

export class Sherpa {
  readonly #recogniser: SherpaRecogniser
  readonly #language: string | undefined

  constructor(folder: string) {
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    const path = (part: string) => join(folder, manifest.files[part].path)
    const { OnlineRecognizer } = createRequire(import.meta.url)('sherpa-onnx-node')
    this.#language = manifest.prompt_index === null ? undefined : manifest.language_code
    this.#recogniser = new OnlineRecognizer({
      featConfig: { sampleRate: RATE, featureDim: manifest.features.mel_bins },
      modelConfig: {
        transducer: { encoder: path('encoder'), decoder: path('decoder'), joiner: path('joiner') },
        tokens: path('tokens'),
        numThreads: 1,
        provider: 'cpu',
      },
    })
  }

  /** `before` and `after`: samples of silence around the audio. */
  hear(audio: Int16Array, before = 0, after = LATE_SAMPLES): { text: string; pieces: readonly string[] } {
    const stream = this.#recogniser.createStream()
    if (this.#language !== undefined) stream.setOption('language', this.#language)
    const samples = new Float32Array(before + audio.length + after)
    for (let i = 0; i < audio.length; i++) samples[before + i] = audio[i]! / 32_768
    stream.acceptWaveform({ samples, sampleRate: RATE })
    while (this.#recogniser.isReady(stream)) this.#recogniser.decode(stream)
    const { text, tokens } = this.#recogniser.getResult(stream)
    return { text: text.trim(), pieces: tokens.map(token => token.replaceAll(' ', '▁')) }
  }
}
