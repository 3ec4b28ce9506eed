// A model package as an engine has it loaded: its networks, its features, its words.

import { DEFAULT_LOOK_AHEAD, ENCODER_FRAME_SAMPLES } from '@sauti/protocol/audio'
import type { ModelPackage } from '../package/model-package.ts'
import type { Vocabulary } from '../package/vocabulary.ts'
import { Encoder } from './encoder.ts'
import { LogMel } from './features/features.ts'
import { FrameScorer, findFrameScorer } from './frame-scorer.ts'
import type { Sessions } from './onnx-sessions.ts'
import { type LanguageModel, readLanguageModel } from './search/language-model.ts'
import { encodeSilence } from './silence.ts'
import { openTransducer } from './transducer/open-transducer.ts'
import type { Transducer } from './transducer/transducer.ts'

const CHUNK_FRAMES = DEFAULT_LOOK_AHEAD + 1
/**
 * The model speaks a little after it heard, so silence is added at a flush, or the last word would be lost. The bundled models need two
 * frames; others may need more, so there are more, and more again as long as the model is still speaking.
 */
export const TAIL_FRAMES = 8

export interface Model {
  /** Languages of one network share it. */
  readonly encoder: Encoder
  /** Tells the network the language, where it knows several. */
  readonly prompt: number | null
  readonly transducer: Transducer
  readonly frameScorer: FrameScorer | undefined
  readonly logMel: LogMel
  readonly vocabulary: Vocabulary
  readonly languageModel: LanguageModel | undefined
  /** A frame in which nothing is heard, as the joiner takes it. */
  readonly silence: Float32Array
  /** Encoder frames of the longest step. */
  readonly maxFrames: number
  /** Whether a step may be shorter than that. */
  readonly anyFrames: boolean
}

export function loadModel(modelPackage: ModelPackage, sessions: Sessions): Model {
  const { paths, manifest, vocabulary, languageModelPath, frameScorerPath, anyFrames } = modelPackage
  const { encoder, maxFrames } = sessions.share(paths.encoder, () => {
    const opened = new Encoder(sessions.open(paths.encoder), modelPackage)
    return { encoder: opened, maxFrames: anyFrames ? longestStep(opened) : CHUNK_FRAMES }
  })
  const prompt = manifest.prompt_index
  const transducer = openTransducer(sessions, modelPackage)
  const logMel = new LogMel(manifest.features, maxFrames * ENCODER_FRAME_SAMPLES)
  return {
    encoder,
    prompt,
    transducer,
    frameScorer:
      frameScorerPath === undefined
        ? undefined
        : sessions.share(frameScorerPath, () => openFrameScorer(frameScorerPath, maxFrames)),
    logMel,
    vocabulary,
    languageModel: languageModelPath === undefined ? undefined : readLanguageModel(languageModelPath),
    silence: transducer.prepare(encodeSilence(encoder, logMel, prompt, CHUNK_FRAMES), 1).slice(),
    maxFrames,
    anyFrames,
  }
}

function openFrameScorer(path: string, maxFrames: number): FrameScorer {
  const linear = findFrameScorer(path)
  if (linear === undefined) throw new Error(`${path} is not one matrix and one bias`)
  return new FrameScorer(linear, maxFrames)
}

/**
 * A step costs little more when it is longer, so the rest of an utterance and the silence after it are one step. Some encoders never give
 * more frames than a chunk has; whether this one does is tried.
 */
function longestStep(encoder: Encoder): number {
  const frames = CHUNK_FRAMES + TAIL_FRAMES
  return encoder.canStep(frames) ? frames : CHUNK_FRAMES
}
