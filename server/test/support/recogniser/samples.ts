// The bundled models' own sample clips, with what is said in them; and how far a text is from it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSpeech } from '#server/files/wav.js'

export const MODELS_DIR = fileURLToPath(new URL('../../../../models', import.meta.url))

export interface Sample {
  readonly path: string
  readonly model: string
  readonly text: string
  /** 16 kHz mono. */
  readonly pcm: Int16Array<ArrayBuffer>
}

const MODEL_OF: Readonly<Record<string, string>> = { ki: 'svc-asr-kikuyu-v1', luo: 'svc-asr-dholuo-v1' }

export function readSamples(languageCode?: string): Sample[] {
  const folder = join(MODELS_DIR, 'samples')
  const [head = '', ...rows] = readFileSync(join(folder, 'transcripts.tsv'), 'utf8').trimEnd().split('\n')
  const columns = head.split('\t')
  const field = (row: string, name: string) => row.split('\t')[columns.indexOf(name)]!
  return rows
    .filter(row => languageCode === undefined || field(row, 'language_code') === languageCode)
    .map(row => {
      const path = join(folder, field(row, 'file'))
      const pcm = readSpeech(readFileSync(path))
      return { path, model: MODEL_OF[field(row, 'language_code')]!, text: field(row, 'text'), pcm }
    })
}

/** Words that were changed, lost or added: the edit distance. */
export function countWordErrors(heard: string, said: string): number {
  return editDistance(heard.split(/\s+/).filter(Boolean), said.split(/\s+/).filter(Boolean))
}

/** Words that differ, or letters where those are fewer: a word that is written as two is one difference. */
export function countDifferences(heard: string, said: string): number {
  return Math.min(countWordErrors(heard, said), editDistance(heard, said))
}

export function editDistance<T>(a: ArrayLike<T>, b: ArrayLike<T>): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
