// The sample clips of the front page: 16 kHz WAV files beside the models, listed with their words in samples/transcripts.tsv.

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { samplesToMs } from '@sauti/protocol/audio'
import { MODELS, type ModelId } from '@sauti/protocol/models'
import { readSpeech } from '../../../files/wav.ts'

export interface Sample {
  readonly id: string
  readonly title: string
  readonly model: ModelId
  readonly language: string
  /** What is said in it. */
  readonly words: string
  readonly wav: Buffer
  readonly pcm: Int16Array
  readonly durationMs: number
}

/** Empty where no samples are bundled. Throws when a listed file is missing or has another format. */
export function readSamples(modelsDir: string): readonly Sample[] {
  const folder = join(modelsDir, 'samples')
  return readRows(join(folder, 'transcripts.tsv')).map(({ file = '', language_code, text = '' }) => {
    const model = MODELS.find(one => one.languageCode === language_code)
    if (!model) throw new Error(`transcripts.tsv names the unknown language ${language_code}`)
    const wav = readFileSync(join(folder, basename(file)))
    const pcm = readPcm(wav, file)
    const id = basename(file, '.wav')
    return {
      id,
      title: `${model.language} ${/\d+$/.exec(id)?.[0] ?? ''}`.trim(),
      model: model.id,
      language: model.language,
      words: text,
      wav,
      pcm,
      durationMs: samplesToMs(pcm.length),
    }
  })
}

/** The rows of a tab-separated file whose first line names the columns. */
function readRows(path: string): Record<string, string>[] {
  const [head = '', ...lines] = readOptional(path).trim().split('\n')
  const names = head.split('\t')
  return lines.map(line => Object.fromEntries(line.split('\t').map((cell, index) => [names[index], cell])))
}

function readOptional(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function readPcm(wav: Buffer, file: string): Int16Array {
  try {
    return readSpeech(wav)
  } catch (error) {
    throw new Error(`${file} cannot be read`, { cause: error })
  }
}
