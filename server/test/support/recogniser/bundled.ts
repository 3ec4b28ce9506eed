// The models that ship, and speech to try them with.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chunkSamples, type LookAhead } from '@sauti/protocol/audio'
import type { ModelId } from '@sauti/protocol/models'
import { readSpeech } from '#server/files/wav.js'
import { type EngineSettings, openRecogniser } from '#server/recogniser/open-recogniser.js'
import type { Recogniser } from '#server/recogniser/port.js'
import { finalOf } from './open-tiny.ts'

export const BUNDLED_MODELS = fileURLToPath(new URL('../../../../models', import.meta.url))
const NAMES = new URL('../../fixtures/names/', import.meta.url)

export const MODEL_OF = { ki: 'svc-asr-kikuyu-v1', luo: 'svc-asr-dholuo-v1' } as const satisfies Record<
  string,
  ModelId
>
export type Language = keyof typeof MODEL_OF

export function openBundled(settings: Partial<EngineSettings> = {}): Promise<Recogniser> {
  return openRecogniser({ modelsDir: BUNDLED_MODELS, engineWaitMs: 60_000, ...settings })
}

export interface Sample {
  readonly file: string
  readonly language: Language
  readonly audio: Int16Array
  /** What the Python reference hears, by look-ahead. */
  readonly heard: Readonly<Record<string, string>>
}

export function readSamples(): Sample[] {
  const reference: Record<string, Record<string, string>> = JSON.parse(
    readFileSync(`${BUNDLED_MODELS}/samples/reference.json`, 'utf8'),
  )
  return Object.entries(reference).map(([file, heard]) => ({
    file,
    language: file.startsWith('kikuyu') ? 'ki' : 'luo',
    audio: readSpeech(readFileSync(`${BUNDLED_MODELS}/samples/${file}`)),
    heard,
  }))
}

export interface NameClip {
  readonly language: Language
  readonly text: string
  readonly names: readonly string[]
  readonly audio: Int16Array
}

/** Sentences with rare names; the file says how the bytes become samples. */
export function readNameClips(): NameClip[] {
  const { clips } = JSON.parse(readFileSync(new URL('names.json', NAMES), 'utf8'))
  return clips.map(({ file, ...clip }: { file: string } & Omit<NameClip, 'audio'>) => {
    const values = new Int8Array(readFileSync(new URL(file, NAMES)))
    const audio = Int16Array.from(
      values,
      v => ((Math.sign(v) * (256 ** (Math.abs(v) / 127) - 1)) / 255) * 32_767,
    )
    return { ...clip, audio }
  })
}

/** One utterance, from its first sample to its final. */
export async function transcribe(
  recogniser: Recogniser,
  language: Language,
  audio: Int16Array,
  settings: { lookAhead?: LookAhead; phrases?: readonly string[] } = {},
) {
  const { lookAhead = 13, phrases = [] } = settings
  const stream = await recogniser.open(MODEL_OF[language], { lookAhead, phrases })
  for (let at = 0; at < audio.length; at += chunkSamples(0))
    stream.push(audio.slice(at, at + chunkSamples(0)))
  const { final, deltas } = await finalOf(stream)
  stream.close()
  return { ...final, deltas }
}
