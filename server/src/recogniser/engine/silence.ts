// Step 5 for nothing: what the encoder makes of silence. The joiner's answer to it is what the network expects by itself.

import { ENCODER_FRAME_SAMPLES } from '@sauti/protocol/audio'
import type { Encoder } from './encoder.ts'
import { HOP_SAMPLES, type LogMel, newFeatureState } from './features/features.ts'

const NOTHING = new Int16Array(0)

/** The last of so many encoded frames of silence. */
export function encodeSilence(
  encoder: Encoder,
  logMel: LogMel,
  prompt: number | null,
  frames: number,
): Float32Array {
  const encoding = encoder.begin(prompt)
  const window = encoder.features(frames).fill(0)
  const melFrames = (frames * ENCODER_FRAME_SAMPLES) / HOP_SAMPLES
  logMel.write(newFeatureState(), NOTHING, melFrames, window, encoder.columns(frames), encoder.historyFrames)
  encoder.run([encoding], frames)
  encoder.release(encoding)
  const last = (frames - 1) * encoder.encodedSize
  return encoder.encoded(frames).slice(last, last + encoder.encodedSize)
}
