// A contender: sherpa-onnx with the same files. It knows one look-ahead, 13.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { speech } from './clips.ts'
import { serveRounds } from './round.ts'
import { openSherpa } from './sherpa.ts'

const folder = process.argv[2]!
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
const path = (part: string) => join(folder, manifest.files[part].path)
const recogniser = openSherpa({
  featConfig: { sampleRate: 16_000, featureDim: manifest.features.mel_bins },
  modelConfig: {
    transducer: { encoder: path('encoder'), decoder: path('decoder'), joiner: path('joiner') },
    tokens: path('tokens'),
    numThreads: 1,
    provider: 'cpu',
  },
})

serveRounds(({ chunks }) => {
  const stream = recogniser.createStream()
  if (manifest.prompt_index !== null) stream.setOption('language', manifest.language_code)
  const audio = speech(chunks * 17_920)
  // It computes a chunk only when nine frames of the next one are there.
  stream.acceptWaveform({ samples: Float32Array.from(audio, value => value / 32_768), sampleRate: 16_000 })
  stream.acceptWaveform({ samples: new Float32Array(10 * 160), sampleRate: 16_000 })
  while (recogniser.isReady(stream)) recogniser.decode(stream)
  return recogniser.getResult(stream).text.length
})
