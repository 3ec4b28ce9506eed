// What was asked for on the command line, checked before anything is opened or paid for.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join, parse } from 'node:path'
import type { LiveSettings } from '@sauti/client'
import { LOOK_AHEADS, MAX_AUDIO_SECONDS, SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { MODELS } from '@sauti/protocol/models'
import { MAX_PHRASES, MAX_PHRASES_CHARACTERS } from '@sauti/protocol/stream'
import type { RawFormat } from '../audio/open-audio.ts'
import { EXIT, Failure, type Options, UsageError } from '../command.ts'
import { FORMATS, type Format, isFormat } from './formats.ts'

export interface TranscribeRequest {
  /** Files, or "-" for a pipe. Empty for the microphone. */
  readonly files: readonly string[]
  readonly model: string
  readonly format: Format
  readonly settings: LiveSettings
  readonly sessionSeconds: number
  readonly patienceMs: number
  readonly jobs: number
  /** The input is raw PCM (mono, 16 bits); undefined: the input says what it is. */
  readonly raw: RawFormat | undefined
  /** Where the transcript of a file goes; undefined: standard output. */
  readonly outputOf: (file: string) => string | undefined
}

export function readRequest(options: Options): TranscribeRequest {
  const format = readFormat(options)
  const files = readFiles(options)
  return {
    files,
    format,
    model: readModel(options),
    settings: { ...readLookAhead(options), ...readPhrases(options) },
    sessionSeconds: readNumber(options, 'session-seconds', MAX_AUDIO_SECONDS, 1, MAX_AUDIO_SECONDS),
    patienceMs: readNumber(options, 'patience', 300, 0, 86_400) * 1000,
    jobs: readNumber(options, 'jobs', 4, 1, 64),
    raw: readRaw(options),
    outputOf: readOutput(options, files, format),
  }
}

function readRaw(options: Options): RawFormat | undefined {
  if (options.flag('raw')) return { rateHz: readNumber(options, 'rate', SAMPLE_RATE_HZ, 4_000, 192_000) }
  if (options.text('rate') !== undefined) throw new UsageError('--rate is for raw PCM: add --raw')
  return undefined
}

function readFiles(options: Options): readonly string[] {
  const { list } = options
  const microphone = options.flag('microphone')
  if (microphone && list.length > 0) throw new UsageError('--microphone and files do not go together')
  if (!microphone && list.length === 0) {
    throw new UsageError('name the files to transcribe, "-" for standard input, or --microphone')
  }
  if (list.filter(file => file === '-').length > 1)
    throw new UsageError('standard input can be read only once')
  return list
}

/** A model by its id, or by its language, which is easier to remember. */
function readModel(options: Options): string {
  const text = options.required('model')
  const wanted = text.toLowerCase()
  const byLanguage = MODELS.find(
    ({ language, languageCode }) => language.toLowerCase() === wanted || languageCode === wanted,
  )
  return byLanguage?.id ?? text
}

function readFormat(options: Options): Format {
  const text = options.text('format') ?? (options.flag('json') ? 'json' : 'text')
  if (isFormat(text)) return text
  throw new UsageError(`--format must be ${Object.keys(FORMATS).join(', ')}, not "${text}"`)
}

function readLookAhead(options: Options): Pick<LiveSettings, 'lookAhead'> {
  const text = options.text('look-ahead')
  if (text === undefined) return {}
  const lookAhead = LOOK_AHEADS.find(known => String(known) === text)
  if (lookAhead !== undefined) return { lookAhead }
  throw new UsageError(`--look-ahead must be one of ${LOOK_AHEADS.join(', ')}`)
}

function readPhrases(options: Options): Pick<LiveSettings, 'phrases'> {
  const file = options.text('phrases')
  if (file === undefined) return {}
  const phrases = readText(file)
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  const characters = phrases.reduce((sum, phrase) => sum + [...phrase].length, 0)
  if (phrases.length <= MAX_PHRASES && characters <= MAX_PHRASES_CHARACTERS) return { phrases }
  throw new UsageError(
    `--phrases may name ${MAX_PHRASES} phrases of ${MAX_PHRASES_CHARACTERS} characters in all, one per line`,
  )
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Failure(`${file}: ${(cause as Error).message}`, { cause, exitCode: EXIT.badInput })
  }
}

function readNumber(options: Options, name: string, fallback: number, min: number, max: number): number {
  const text = options.text(name)
  const value = text === undefined ? fallback : Number(text)
  if (Number.isInteger(value) && value >= min && value <= max && text !== '') return value
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`)
}

function readOutput(
  options: Options,
  files: readonly string[],
  format: Format,
): TranscribeRequest['outputOf'] {
  const output = options.text('output')
  const isFolder = output !== undefined && namesFolder(output, files.length)
  if (files.length > 1 && output === undefined && (format === 'srt' || format === 'vtt')) {
    throw new UsageError(`several files as ${format} need a folder: --output FOLDER`)
  }
  if (output === undefined) return () => undefined
  if (!isFolder) return () => output
  return nameTranscripts(output, files, FORMATS[format].extension)
}

/** One that is there, one that is written as a folder, or one that several files need; it is made where it is missing. */
function namesFolder(output: string, fileCount: number): boolean {
  if (existsSync(output)) {
    const isFolder = statSync(output).isDirectory()
    if (isFolder || fileCount <= 1) return isFolder
    throw new UsageError('--output must name a folder where there are several files')
  }
  return fileCount > 1 || /[/\\]$/.test(output)
}

/** talk.mp3 becomes talk.srt; only where two files would get the same name does each keep its own ending, too. */
function nameTranscripts(folder: string, files: readonly string[], extension: string) {
  const stemOf = (file: string) => (file === '-' ? 'standard-input' : parse(file).name)
  return (file: string) => {
    const isShared = files.filter(other => stemOf(other) === stemOf(file)).length > 1
    return join(folder, `${isShared ? basename(file) : stemOf(file)}.${extension}`)
  }
}
