// Voice detection for tests that decide themselves what is a voice: whatever is loud. Answers in a later turn, as the real one does.

import { VOICE_FRAME_SAMPLES, type VoiceDetector } from '#server/recogniser/port.js'

const LOUD = 500

export const loudnessDetector: VoiceDetector = {
  open(listener) {
    let isOpen = true
    return {
      push(samples) {
        const likelihoods: number[] = []
        for (let at = 0; at < samples.length; at += VOICE_FRAME_SAMPLES) {
          const frame = samples.subarray(at, at + VOICE_FRAME_SAMPLES)
          likelihoods.push(frame.some(sample => Math.abs(sample) > LOUD) ? 1 : 0)
        }
        setImmediate(() => {
          if (isOpen) listener.onVoice(likelihoods)
        })
      },
      close() {
        isOpen = false
      },
    }
  },
  close: async () => undefined,
}
