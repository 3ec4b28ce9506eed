// A long recording with known words: samples one after the other, with pauses of many lengths and a little noise between them.

import { readSamples, type Sample } from '../../../server/test/support/recogniser/samples.ts'

export interface Recording {
  readonly pcm: Int16Array<ArrayBuffer>
  readonly sentences: readonly { readonly startMs: number; readonly endMs: number; readonly text: string }[]
}

const NOISE = 15
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [150, 900]

export function makeRecording(languageCode: string, minutes: number, seed = 7): Recording {
  const random = makeRandom(seed)
  const samples = readSamples(languageCode)
  const pieces: Sample[] = []
  const pausesMs: number[] = []
  for (let length = 0; length < minutes * 60_000; ) {
    const piece = samples[Math.floor(random() * samples.length)]!
    const pauseMs = Math.round(SHORTEST_PAUSE_MS + random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS))
    pieces.push(piece)
    pausesMs.push(pauseMs)
    length += piece.pcm.length / 16 + pauseMs
  }
  return join(pieces, pausesMs, random)
}

function join(pieces: readonly Sample[], pausesMs: readonly number[], random: () => number): Recording {
  const total = pieces.reduce((sum, { pcm }, index) => sum + pcm.length + pausesMs[index]! * 16, 0)
  const pcm = Int16Array.from({ length: total }, () => (random() - 0.5) * 2 * NOISE)
  const sentences: Recording['sentences'][number][] = []
  let position = 0
  for (const [index, piece] of pieces.entries()) {
    for (const [n, sample] of piece.pcm.entries()) {
      pcm[position + n] = Math.max(-32_768, Math.min(32_767, pcm[position + n]! + sample))
    }
    sentences.push({ startMs: position / 16, endMs: (position + piece.pcm.length) / 16, text: piece.text })
    position += piece.pcm.length + pausesMs[index]! * 16
  }
  return { pcm, sentences }
}

function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
