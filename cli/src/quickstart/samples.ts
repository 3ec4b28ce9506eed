// The bundled recordings that the quickstart transcribes: the first of each language in samples/transcripts.tsv.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MODELS } from '@sauti/protocol/models'

export interface Sample {
  readonly model: string
  readonly language: string
  readonly file: string
  /** What is said in it. */
  readonly words: string
}

export function chooseSamples(modelsDir: string): readonly Sample[] {
  const folder = join(modelsDir, 'samples')
  const list = join(folder, 'transcripts.tsv')
  const rows = existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : []
  return MODELS.flatMap(({ id, language, languageCode }) => {
    const row = rows.map(line => line.split('\t')).find(([, code]) => code === languageCode)
    if (!row) return []
    return [{ model: id, language, file: join(folder, row[0]!), words: row.at(-1)! }]
  })
}
