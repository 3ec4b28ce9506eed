// Where a recording may be cut without damaging a word: in a pause, found by the energy of 20 ms frames against the quietest
// and the loudest of the last ten seconds, so that it works in a studio and beside a road.

import { SAMPLES_PER_MS } from '@sauti/protocol/audio'

export const FRAME_MS = 20
export const FRAME_SAMPLES = FRAME_MS * SAMPLES_PER_MS
const REMEMBERED_FRAMES = 10_000 / FRAME_MS
const FLOOR_DB = -90
/** Below this everything counts as silence. */
const SILENCE_DB = -60
/** Loud and quiet must be at least this far apart before "quiet" means anything. */
const LEAST_CONTRAST_DB = 9
/** A frame is quiet when it lies in this lowest part of the range between the two. */
const QUIET_PART = 0.3
const SMOOTHING_FRAMES = 3
/** How often the range between loud and quiet is measured again: every 200 ms. */
const RANGE_EVERY_FRAMES = 10

export class PauseFinder {
  readonly #levelsDb: number[] = []
  #quietFrames = 0
  #loudFrames = 0
  #quietDb = SILENCE_DB

  /** One frame of 20 ms after the other. */
  push(frame: Int16Array): void {
    const level = levelDb(frame)
    this.#levelsDb.push(level)
    if (this.#levelsDb.length % RANGE_EVERY_FRAMES === 0) this.#quietDb = this.#findQuietDb()
    const isQuiet = level <= this.#quietDb
    this.#quietFrames = isQuiet ? this.#quietFrames + 1 : 0
    if (!isQuiet) this.#loudFrames += 1
  }

  /** How long it has been quiet now. */
  get pauseMs(): number {
    return this.#quietFrames * FRAME_MS
  }

  /** How long it has not been quiet, in all. */
  get loudMs(): number {
    return this.#loudFrames * FRAME_MS
  }

  /** The frame from `first` on that is quietest together with its neighbours: the least bad place where there is no pause. */
  quietestFrame(first: number): number {
    let best = this.#levelsDb.length
    let bestDb = Number.POSITIVE_INFINITY
    for (let frame = first; frame < this.#levelsDb.length; frame++) {
      const around = this.#levelsDb.slice(Math.max(0, frame - SMOOTHING_FRAMES), frame + SMOOTHING_FRAMES + 1)
      const meanDb = around.reduce((sum, level) => sum + level, 0) / around.length
      if (meanDb < bestDb) [best, bestDb] = [frame, meanDb]
    }
    return best
  }

  #findQuietDb(): number {
    const recent = this.#levelsDb.slice(-REMEMBERED_FRAMES).sort((a, b) => a - b)
    const [quiet, loud] = [at(recent, 0.1), at(recent, 0.95)]
    const contrastDb = loud - quiet
    if (contrastDb < LEAST_CONTRAST_DB) return SILENCE_DB
    return Math.max(SILENCE_DB, quiet + contrastDb * QUIET_PART)
  }
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.floor((sorted.length - 1) * part)] ?? FLOOR_DB
}

function levelDb(frame: Int16Array): number {
  let power = 0
  for (const sample of frame) power += (sample / 32_768) ** 2
  return frame.length === 0 ? FLOOR_DB : Math.max(FLOOR_DB, 10 * Math.log10(power / frame.length))
}
