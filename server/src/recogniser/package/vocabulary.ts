// The pieces that a model can say, from `tokens.txt`: `piece id` per line, the blank last.

const BLANK = '<blk>'
/** Stands for a space: the piece begins a word. */
export const WORD_START = '\u2581'

export interface Vocabulary {
  /** NFC; without the blank, whose id is `pieces.length`. */
  readonly pieces: readonly string[]
  readonly blank: number
}

/** Throws an Error that names the line that is wrong. */
export function parseVocabulary(text: string): Vocabulary {
  const lines = text.split('\n').filter(line => line !== '')
  const pieces = lines.map((line, i) => parseLine(line, i))
  if (pieces.pop() !== BLANK) throw new Error(`the last line must be "${BLANK} ${lines.length - 1}"`)
  return { pieces, blank: pieces.length }
}

function parseLine(line: string, expectedId: number): string {
  const gap = line.lastIndexOf(' ')
  const piece = line.slice(0, gap)
  if (gap < 1 || line.slice(gap + 1).trim() !== String(expectedId)) {
    throw new Error(`line ${expectedId + 1} must be "piece ${expectedId}"`)
  }
  return piece.normalize('NFC')
}
