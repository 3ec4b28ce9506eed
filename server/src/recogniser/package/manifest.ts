// What `manifest.json` of a model package says (format 1), and the check that it says it. Field names are the file's.

import { LOOK_AHEADS, type LookAhead } from '@sauti/protocol/audio'

export const PARTS = ['encoder', 'decoder', 'joiner', 'tokens'] as const
export type Part = (typeof PARTS)[number]

/** Not every model has these: what people write, and what each frame says by itself. */
export const EXTRAS = ['language_model', 'frame_scorer'] as const
export type Extra = (typeof EXTRAS)[number]

export interface PackagedFile {
  /** Relative to the manifest's folder; models of one network share files through `../`. */
  readonly path: string
  readonly sha256: string
}

export interface FeatureFacts {
  readonly mel_bins: number
  /** Decibels of full scale to which quieter speech is raised; without it audio is heard as loud as it comes. */
  readonly speech_level_db?: number
}

export interface Manifest {
  readonly format: 1
  readonly id: string
  readonly language: string
  readonly language_code: string
  readonly version: string
  readonly licence: string
  readonly card: string
  readonly files: Readonly<Record<Part, PackagedFile>> & Readonly<Partial<Record<Extra, PackagedFile>>>
  /** Weights that an ONNX file too large for one file keeps beside itself. */
  readonly external?: readonly PackagedFile[]
  readonly features: FeatureFacts
  readonly encoder: {
    readonly layers: number
    readonly left: number
    readonly dim: number
    readonly conv_cache: number
    readonly subsampling: number
    readonly pre_encode_cache: number
  }
  readonly decoder: { readonly layers: number; readonly hidden: number }
  /** Without the blank. */
  readonly vocab_size: number
  readonly look_aheads: readonly LookAhead[]
  readonly prompt_index: number | null
}

const TEXTS = ['id', 'language', 'language_code', 'version', 'licence', 'card'] as const
const ENCODER_SIZES = ['layers', 'left', 'dim', 'conv_cache', 'subsampling', 'pre_encode_cache'] as const

type Json = Record<string, unknown>

/** Throws an Error that names the first field that is wrong. */
export function parseManifest(text: string): Manifest {
  const manifest = asObject(JSON.parse(text), 'the manifest')
  if (manifest.format !== 1) throw new Error('format must be 1')
  for (const name of TEXTS) {
    if (typeof manifest[name] !== 'string' || manifest[name] === '') throw new Error(`${name} must be a text`)
  }
  const files = asObject(manifest.files, 'files')
  for (const part of PARTS) checkFile(files[part], `files.${part}`)
  for (const extra of EXTRAS) if (files[extra] !== undefined) checkFile(files[extra], `files.${extra}`)
  checkExternal(manifest.external)
  checkFeatures(asObject(manifest.features, 'features'))
  checkSizes(asObject(manifest.encoder, 'encoder'), 'encoder', ENCODER_SIZES)
  checkSizes(asObject(manifest.decoder, 'decoder'), 'decoder', ['layers', 'hidden'])
  checkSizes(manifest, '', ['vocab_size'])
  checkLookAheads(manifest.look_aheads)
  const prompt = manifest.prompt_index
  if (prompt !== null && !isCount(prompt)) throw new Error('prompt_index must be null or a whole number')
  return manifest as unknown as Manifest
}

function asObject(value: unknown, name: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new Error(`${name} must be an object`)
}

function checkFile(value: unknown, name: string): void {
  const { path, sha256 } = asObject(value, name)
  if (typeof path !== 'string' || path === '') throw new Error(`${name}.path must be a text`)
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
    throw new Error(`${name}.sha256 must be 64 hexadecimal digits`)
  }
}

function checkExternal(value: unknown): void {
  if (value === undefined) return
  if (!Array.isArray(value)) throw new Error('external must be a list of files')
  for (const [i, file] of value.entries()) checkFile(file, `external[${i}]`)
}

function checkSizes(object: Json, parent: string, names: readonly string[]): void {
  for (const name of names) {
    const value = object[name]
    if (!isCount(value) || value === 0) {
      throw new Error(`${parent === '' ? '' : `${parent}.`}${name} must be a whole number above 0`)
    }
  }
}

function checkFeatures(features: Json): void {
  checkSizes(features, 'features', ['mel_bins'])
  const level = features.speech_level_db
  if (level === undefined || (Number.isFinite(level) && (level as number) <= 0)) return
  throw new Error('features.speech_level_db must be a number of decibels, at most 0')
}

function checkLookAheads(value: unknown): void {
  const known: readonly unknown[] = LOOK_AHEADS
  if (Array.isArray(value) && value.length > 0 && value.every(item => known.includes(item))) return
  throw new Error(`look_aheads must list some of ${LOOK_AHEADS.join(', ')}`)
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}
