// Why two engines with the same model and the same audio can still say different things: where the model is undecided, the rounding of
// the features decides. That is claimed only where it is shown: features moved at random by no more than rounding moves them give the
// other text.

import type { Tensor } from 'onnxruntime-node'
import type { PlainDecoder } from './plain-decoder.ts'
import { randomNumbers } from './random.ts'
import { singlePrecisionLogMel } from './single-precision.ts'

const LOOK_AHEAD = 13
const TRIES = 24
const HOP = 160

export interface NearTie {
  /** The two symbols between which they part, ours first, and how far apart the model puts them, in logits. */
  readonly between: readonly [string, string]
  readonly margin: number
  /** Root mean square by which 32 bits move the features. */
  readonly rounding: number
  /** How many decodings of features moved at random by so much give the other text. */
  readonly flips: number
  readonly tries: number
}

/** `history` fills the frames before the first; `theirs` are the pieces of the other engine. */
export async function findNearTie(
  plain: PlainDecoder,
  audio: Int16Array,
  history: number,
  theirs: { readonly text: string; readonly pieces: readonly string[] },
): Promise<NearTie> {
  const windows = plain.windows(audio, LOOK_AHEAD, history)
  const rounding = roundingOf(plain, audio)
  let flips = 0
  for (let seed = 1; seed <= TRIES; seed++) {
    const text = await plain.decode(move(plain.windows(audio, LOOK_AHEAD, history), rounding, seed))
    if (text === theirs.text) flips++
  }
  return { ...(await findParting(plain, windows, theirs.pieces)), rounding, flips, tries: TRIES }
}

/** The closest decision behind the last piece that both engines said. */
async function findParting(plain: PlainDecoder, windows: readonly Tensor[], theirs: readonly string[]) {
  const decisions: { said: number; between: [number, number]; margin: number }[] = []
  const ours: string[] = []
  await plain.decode(windows, ({ said, taken, scores }) => {
    if (said === ours.length && plain.pieces[taken] !== '<blk>') ours.push(plain.pieces[taken]!)
    const second = bestBut(scores, taken)
    decisions.push({ said, between: [taken, second], margin: scores[taken]! - scores[second]! })
  })
  const parting = ours.findIndex((piece, i) => piece !== theirs[i])
  const place = parting === -1 ? ours.length : parting
  const [closest] = decisions.filter(({ said }) => said === place).sort((a, b) => a.margin - b.margin)
  const [taken, second] = closest!.between
  return { between: [plain.pieces[taken]!, plain.pieces[second]!] as const, margin: closest!.margin }
}

function bestBut(scores: Float32Array, but: number): number {
  let best = but === 0 ? 1 : 0
  for (let i = 0; i < scores.length; i++) if (i !== but && scores[i]! > scores[best]!) best = i
  return best
}

/** Root mean square of what 32 bits change in the features of this audio. */
function roundingOf(plain: PlainDecoder, audio: Int16Array): number {
  const frames = Math.floor(audio.length / HOP)
  const bins = plain.melBins
  const single = singlePrecisionLogMel(audio, frames, bins)
  const double = plain.features(audio, frames)
  let squares = 0
  for (let frame = 0; frame < frames; frame++) {
    for (let bin = 0; bin < bins; bin++) {
      squares += (single[frame * bins + bin]! - double[bin * frames + frame]!) ** 2
    }
  }
  return Math.sqrt(squares / single.length)
}

/** Every feature moves by an even chance up to `size` x sqrt 3 either way, so that `size` is the root mean square. */
function move(windows: readonly Tensor[], size: number, seed: number): readonly Tensor[] {
  const random = randomNumbers(seed)
  for (const window of windows) {
    const values = window.data as Float32Array
    for (let i = 0; i < values.length; i++) values[i]! += (2 * random() - 1) * size * Math.sqrt(3)
  }
  return windows
}
