// Ways to tell voice from other sound, frame by frame: the network of the service, and the level of the sound above that of the noise.

import { VOICE_FRAME_SAMPLES } from '@sauti/server/recogniser/port.js'
import { newVoiceState, type VoiceNetwork } from '@sauti/server/recogniser/voice/voice-network.js'
import { powerOf } from './sound.ts'

/** A level this far above the noise is voice. */
const ABOVE_NOISE_DB = 9
/** The noise is the quietest level of the last two seconds. */
const NOISE_FRAMES = 62

export function cutFrames(sound: Int16Array): Int16Array[] {
  return Array.from({ length: Math.floor(sound.length / VOICE_FRAME_SAMPLES) }, (_, i) =>
    sound.subarray(i * VOICE_FRAME_SAMPLES, (i + 1) * VOICE_FRAME_SAMPLES),
  )
}

/** How likely each frame is to hold a voice. */
export type Likelihoods = readonly number[]

export function byNetwork(network: VoiceNetwork, frames: readonly Int16Array[]): Likelihoods {
  const state = newVoiceState()
  return frames.map(frame => network.judge(frame, state))
}

export function byLevel(frames: readonly Int16Array[]): Likelihoods {
  const levels = frames.map(frame => 10 * Math.log10(powerOf(frame) + 1))
  return levels.map((level, i) => {
    const noise = Math.min(...levels.slice(Math.max(0, i - NOISE_FRAMES), i + 1))
    return level > noise + ABOVE_NOISE_DB ? 1 : 0
  })
}

/** Voice only where both hear one. */
export function byBoth(one: Likelihoods, other: Likelihoods): Likelihoods {
  return one.map((likelihood, i) => Math.min(likelihood, other[i]!))
}
