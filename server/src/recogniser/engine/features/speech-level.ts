// Step 5: how loud somebody speaks. Microphones differ by 30 dB, and a network hears quiet speech much worse than speech as loud as that of
// its training, so quiet speech is raised before it is encoded. Loud speech is left as it is, and so is what is too quiet to be speech.

import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'

const BLOCK_SAMPLES = 640
const FULL_SCALE = 32_768
/** Of the blocks of a step, this share is quieter than its level: a step holds pauses, and a click is short. */
const QUIETER_SHARE = 0.9
/** The level follows louder speech at once and quieter speech slowly, so that a pause between words does not raise the noise in it. */
const FALL_DB_PER_SECOND = 1
const MAX_RAISE_DB = 24
const SILENCE_DB = -60
/** Features are natural logarithms of power. */
const LOG_POWER_PER_DB = Math.LN10 / 10

export class SpeechLevel {
  #decibels = Number.NEGATIVE_INFINITY

  /** What to add to the features of these samples, so that speech is about as loud as `wantedDb` (of full scale). */
  raise(samples: Int16Array, wantedDb: number): number {
    const faded = this.#decibels - (FALL_DB_PER_SECOND * samples.length) / SAMPLE_RATE_HZ
    this.#decibels = Math.max(faded, levelDb(samples))
    if (this.#decibels < SILENCE_DB) return 0
    return Math.min(Math.max(wantedDb - this.#decibels, 0), MAX_RAISE_DB) * LOG_POWER_PER_DB
  }
}

/** Of the louder blocks, in decibels of full scale. A rest that is shorter than a block does not count. */
function levelDb(samples: Int16Array): number {
  const powers: number[] = []
  for (let start = 0; start + BLOCK_SAMPLES <= samples.length; start += BLOCK_SAMPLES)
    powers.push(power(samples.subarray(start, start + BLOCK_SAMPLES)))
  if (powers.length === 0) return Number.NEGATIVE_INFINITY
  powers.sort((a, b) => a - b)
  return 10 * Math.log10(powers[Math.round(QUIETER_SHARE * (powers.length - 1))]!)
}

/** Without a constant offset, which cheap microphones add. */
function power(block: Int16Array): number {
  let sum = 0
  let squares = 0
  for (const sample of block) {
    sum += sample
    squares += sample * sample
  }
  return (squares / block.length - (sum / block.length) ** 2) / FULL_SCALE ** 2
}
