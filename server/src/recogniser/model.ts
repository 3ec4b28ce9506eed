// A model package brought to life in one thread: its networks, its features, its words.

import { chunkSamples, DEFAULT_LOOK_AHEAD } from '@sauti/protocol/audio'
import { Encoder } from './encoder.ts'
import { LogMel } from './features.ts'
import type { ModelPackage } from './model-package.ts'
import type { Sessions } from './sessions.ts'
import { OnnxTransducer, type Transducer } from './transducer.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface Model {
  readonly encoder: Encoder
  readonly transducer: Transducer
  readonly logMel: LogMel
  readonly vocabulary: Vocabulary
  /** Encoder frames of the longest step. */
  readonly maxFrames: number
  /** Whether a step may be shorter than that. */
  readonly anyFrames: boolean
}

export async function loadModel(modelPackage: ModelPackage, sessions: Sessions): Promise<Model> {
  const { paths, manifest, vocabulary, anyFrames } = modelPackage
  const [encoder, decoder, joiner] = await Promise.all([
    sessions.open(paths.encoder),
    sessions.open(paths.decoder),
    sessions.open(paths.joiner),
  ])
  return {
    encoder: new Encoder(encoder, modelPackage),
    transducer: await OnnxTransducer.create(decoder, joiner, modelPackage),
    logMel: new LogMel(manifest.features.mel_bins, chunkSamples(DEFAULT_LOOK_AHEAD)),
    vocabulary,
    maxFrames: DEFAULT_LOOK_AHEAD + 1,
    anyFrames,
  }
}
