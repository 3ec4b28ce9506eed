// sherpa-onnx on one of our packages. The few parts of it that we use have their types here: it has none of its own.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const RATE = 16_000
/** It computes a chunk only when nine frames of the next one are there. */
const LATE_SAMPLES = 12 * 160
/** Until the last chunk of an utterance is whole, and as late as it is. */
const TAIL_SAMPLES = 17_920 + LATE_SAMPLES
/** A rule that must not end anything. */
const NEVER_SECONDS = 1e6

interface SherpaStream {
  acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void
  setOption(key: string, value: string): void
}

interface SherpaRecogniser {
  createStream(): SherpaStream
  isReady(stream: SherpaStream): boolean
  decode(stream: SherpaStream): void
  isEndpoint(stream: SherpaStream): boolean
  reset(stream: SherpaStream): void
  getResult(stream: SherpaStream): { readonly text: string; readonly tokens: readonly string[] }
}

export class Sherpa {
  readonly #recogniser: SherpaRecogniser
  readonly #language: string | undefined

  /** With `silenceMs`, so much silence behind words ends an utterance. */
  constructor(folder: string, silenceMs?: number) {
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
      ...(silenceMs === undefined ? {} : endpointRules(silenceMs)),
    })
  }

  /** An utterance that is heard piece by piece. */
  begin(): SherpaUtterance {
    const stream = this.#recogniser.createStream()
    if (this.#language !== undefined) stream.setOption('language', this.#language)
    return new SherpaUtterance(this.#recogniser, stream)
  }

  /** `before` and `after`: samples of silence around the audio. */
  hear(audio: Int16Array, before = 0, after = LATE_SAMPLES): { text: string; pieces: readonly string[] } {
    const utterance = this.begin()
    const samples = new Int16Array(before + audio.length + after)
    samples.set(audio, before)
    utterance.hear(samples)
    return utterance.result
  }
}

/** Of its three rules the one for silence behind words. */
function endpointRules(silenceMs: number) {
  return {
    enableEndpoint: true,
    rule1MinTrailingSilence: NEVER_SECONDS,
    rule2MinTrailingSilence: silenceMs / 1000,
    rule3MinUtteranceLength: NEVER_SECONDS,
  }
}

class SherpaUtterance {
  readonly #recogniser: SherpaRecogniser
  readonly #stream: SherpaStream

  constructor(recogniser: SherpaRecogniser, stream: SherpaStream) {
    this.#recogniser = recogniser
    this.#stream = stream
  }

  /** Gives the text so far. */
  hear(audio: Int16Array): string {
    const samples = Float32Array.from(audio, sample => sample / 32_768)
    this.#stream.acceptWaveform({ samples, sampleRate: RATE })
    while (this.#recogniser.isReady(this.#stream)) this.#recogniser.decode(this.#stream)
    return this.result.text
  }

  /** Begins the next utterance where this one has ended. */
  restartAtEnd(): boolean {
    const isEnd = this.#recogniser.isEndpoint(this.#stream)
    if (isEnd) this.#recogniser.reset(this.#stream)
    return isEnd
  }

  /** Silence after the audio makes it write the last words. */
  finish(): string {
    return this.hear(new Int16Array(TAIL_SAMPLES))
  }

  get result(): { text: string; pieces: readonly string[] } {
    const { text, tokens } = this.#recogniser.getResult(this.#stream)
    return { text: text.trim(), pieces: tokens.map(token => token.replaceAll(' ', '▁')) }
  }
}
