// The few words of sherpa-onnx that we use; it has no types of its own.

import { createRequire } from 'node:module'

interface SherpaStream {
  acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void
  setOption(key: string, value: string): void
}

interface SherpaRecogniser {
  createStream(): SherpaStream
  isReady(stream: SherpaStream): boolean
  decode(stream: SherpaStream): void
  getResult(stream: SherpaStream): { readonly text: string }
}

interface Sherpa {
  OnlineRecognizer: new (config: object) => SherpaRecogniser
}

export function openSherpa(config: object): SherpaRecogniser {
  const { OnlineRecognizer } = createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa
  return new OnlineRecognizer(config)
}
