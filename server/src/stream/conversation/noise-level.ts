// How loud the noise around a speaker is: whoever speaks is silent for moments, and then only the noise is left. Pure.

/** Three seconds, in frames of 32 ms. */
const MEMORY_FRAMES = 94
/** Before one second has passed, nothing is known. */
const LEAST_FRAMES = 31
/** This part of the frames is no louder than the noise. */
const QUIET_PART = 0.1
/** What is not even this much louder than the noise is noise. */
const ABOVE_NOISE_DB = 3

export class NoiseLevel {
  readonly #levels = new Float32Array(MEMORY_FRAMES)
  #heard = 0

  /** One frame more: whether it is as quiet as the noise. */
  hear(frame: Int16Array): boolean {
    const level = levelDb(frame)
    this.#levels[this.#heard % MEMORY_FRAMES] = level
    this.#heard += 1
    return this.#heard >= LEAST_FRAMES && level < this.#noiseDb() + ABOVE_NOISE_DB
  }

  #noiseDb(): number {
    const sorted = this.#levels.slice(0, this.#heard).sort()
    return sorted[Math.floor(QUIET_PART * sorted.length)]!
  }
}

function levelDb(frame: Int16Array): number {
  let sum = 0
  for (const sample of frame) sum += sample * sample
  // Complete silence has a level, too.
  return 10 * Math.log10(sum / frame.length + 1)
}
