// A model package brought to life in one thread: its networks, its features, its words.

import { chunkSamples, DEFAULT_LOOK_AHEAD } from '@sauti/protocol/audio'
import { Encoder } from './encoder.ts'
import { LogMel } from './features.ts'
import { type LanguageModel, readLanguageModel } from './language-model.ts'
import type { ModelPackage } from './model-package.ts'
import type { Sessions } from './sessions.ts'
import { OnnxTransducer, type Transducer } from './transducer.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface Model {
  readonly encoder: Encoder
  readonly transducer: Transducer
  readonly logMel: LogMel
  readonly vocabulary: Vocabulary
  readonly languageModel: LanguageModel | undefined
  /** Encoder frames of the longest step. */
  readonly maxFrames: number
  /** Whether a step may be shorter than that. */
  readonly anyFrames: boolean
}

export function loadModel(modelPackage: ModelPackage, sessions: Sessions): Model {
  const { paths, manifest, vocabulary, languageModelPath, anyFrames } = modelPackage
  return {
    encoder: new Encoder(sessions.open(paths.encoder), modelPackage),
    transducer: new OnnxTransducer(sessions, modelPackage),
    logMel: new LogMel(manifest.features.mel_bins, chunkSamples(DEFAULT_LOOK_AHEAD)),
    vocabulary,
    languageModel: languageModelPath === undefined ? undefined : readLanguageModel(languageModelPath),
    maxFrames: DEFAULT_LOOK_AHEAD + 1,
    anyFrames,
  }
}
