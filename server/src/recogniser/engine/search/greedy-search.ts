// Step 6: RNN-T greedy search. Frame by frame the best symbol is taken: a piece moves the prediction on and stays at the frame, the
// blank moves to the next frame. Pieces are only ever appended.

import type { Prediction, Transducer } from '../transducer/transducer.ts'
import type { Emission, Search } from './search.ts'

/** A frame that keeps speaking is a loop of the network, not speech. */
export const MAX_SYMBOLS_A_FRAME = 10

/** Frames scored at once after a piece. Frames after the next piece are scored for nothing, and a piece comes every other frame or so. */
const FIRST_SPAN = 4

export class GreedySearch implements Search {
  readonly #transducer: Transducer
  #prediction: Prediction
  #framesBefore = 0
  #span = FIRST_SPAN

  constructor(transducer: Transducer) {
    this.#transducer = transducer
    this.#prediction = transducer.start
  }

  advance(prepared: Float32Array, frames: number): Emission[] {
    const emissions: Emission[] = []
    const { blank } = this.#transducer
    let frame = 0
    let symbols = 0
    while (frame < frames) {
      const rows = Math.min(this.#span, this.#transducer.maxRows, frames - frame)
      const scores = this.#transducer.join(prepared, frame, rows, this.#prediction)
      const row = firstSpeakingRow(scores, rows, blank)
      if (row > 0) symbols = 0
      frame += row
      this.#span = row === rows ? this.#span * 2 : FIRST_SPAN
      if (row === rows) continue
      const piece = bestSymbol(scores, row, blank)
      emissions.push({
        piece,
        frame: this.#framesBefore + frame,
        logProbability: scores[row * (blank + 1) + piece]!,
      })
      this.#prediction = this.#transducer.predict(piece, this.#prediction)
      symbols++
      if (symbols < MAX_SYMBOLS_A_FRAME) continue
      frame++
      symbols = 0
    }
    this.#framesBefore += frames
    return emissions
  }

  finish(): readonly Emission[] {
    return []
  }
}

/** The first of the rows whose best symbol is not the blank; `rows` when all are silent. */
function firstSpeakingRow(scores: Float32Array, rows: number, blank: number): number {
  for (let row = 0; row < rows; row++) if (bestSymbol(scores, row, blank) !== blank) return row
  return rows
}

function bestSymbol(scores: Float32Array, row: number, blank: number): number {
  const start = row * (blank + 1)
  let best = blank
  let bestScore = scores[start + blank]!
  for (let symbol = 0; symbol < blank; symbol++) {
    const score = scores[start + symbol]!
    if (score > bestScore) {
      best = symbol
      bestScore = score
    }
  }
  return best
}
