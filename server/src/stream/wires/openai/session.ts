// The settings of a transcription session as OpenAI's interface defines them, in its present form (`session.update`) and in its earlier one
// (`transcription_session.update`). Pure.

import { SAMPLE_RATES_HZ } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import { type ConfigRequest, MAX_SILENCE_MS, MIN_SILENCE_MS } from '@sauti/protocol/stream'
import { pickLanguage } from '../../../foreign/find-model.ts'
import { checkPhrases } from '../../../foreign/phrases.ts'
import type { AudioFormat } from '../../audio/incoming-audio.ts'

export interface TranscriptionSession {
  readonly format: AudioFormat
  readonly modelName: string | undefined
  readonly language: string | undefined
  readonly prompt: string
  readonly keywords: readonly string[]
  /** How much silence ends an utterance; undefined where only a commit does. */
  readonly silenceMs: number | undefined
}

/** What an update asks for; what it does not name stays. */
export interface SessionChange extends Partial<TranscriptionSession> {
  /** Named in the answer: understood, and without effect. */
  readonly ignored: readonly string[]
}

/** OpenAI's own default. */
const DEFAULT_SILENCE_MS = 500

const PCM: AudioFormat = { encoding: 'pcm_s16le', sampleRateHz: 24_000, channels: 1 }
const PCMU: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000, channels: 1 }
const PCMA: AudioFormat = { encoding: 'alaw', sampleRateHz: 8_000, channels: 1 }
const EARLIER_FORMATS: Readonly<Record<string, AudioFormat>> = {
  pcm16: PCM,
  g711_ulaw: PCMU,
  g711_alaw: PCMA,
}

export const DEFAULT_SESSION: TranscriptionSession = {
  format: PCM,
  modelName: undefined,
  language: undefined,
  prompt: '',
  keywords: [],
  silenceMs: DEFAULT_SILENCE_MS,
}

type Fields = Readonly<Record<string, unknown>>

/**
 * What the recogniser must know of the settings that changed; `session` has them all. Throws invalid_message where there are too many
 * phrases.
 */
export function configOf(
  change: Partial<TranscriptionSession>,
  session: TranscriptionSession,
): readonly ConfigRequest[] {
  const changesPhrases = change.prompt !== undefined || change.keywords !== undefined
  const changesTurns = 'silenceMs' in change
  if (!changesPhrases && !changesTurns) return []
  const { silenceMs } = session
  const endpointing = silenceMs === undefined ? (false as const) : { silence_ms: silenceMs }
  return [
    {
      type: 'config',
      ...(changesPhrases ? { phrases: phrasesOf(session) } : {}),
      ...(changesTurns ? { endpointing } : {}),
    },
  ]
}

/** What differs from the settings that hold. Clients often repeat all of them to change one. */
export function differenceFrom(
  session: TranscriptionSession,
  change: Partial<TranscriptionSession>,
): Partial<TranscriptionSession> {
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(session[name as keyof TranscriptionSession])
  return Object.fromEntries(Object.entries(change).filter(differs))
}

/** Throws invalid_message, which names the field. */
export function readUpdate(session: unknown, isEarlierForm: boolean): SessionChange {
  const fields = asFields('session', session)
  return isEarlierForm ? readEarlierForm(fields) : readPresentForm(fields)
}

function readPresentForm({ type, audio, ...others }: Fields): SessionChange {
  if (type !== undefined && type !== 'transcription') {
    throw invalid('session.type', 'must be transcription: nothing else is served here.')
  }
  const { input, ...otherAudio } = asFields('session.audio', audio ?? {})
  const { format, transcription, turn_detection, ...otherInput } = asFields(
    'session.audio.input',
    input ?? {},
  )
  const words = readTranscription('session.audio.input.transcription', transcription)
  const detection = readTurnDetection('session.audio.input.turn_detection', turn_detection)
  return {
    ...(format === undefined ? {} : { format: readFormat(format) }),
    ...words,
    ...detection,
    ignored: [
      ...named('session', others),
      ...named('session.audio', otherAudio),
      ...named('session.audio.input', otherInput),
      ...words.ignored,
      ...detection.ignored,
    ],
  }
}

function readEarlierForm(fields: Fields): SessionChange {
  const { input_audio_format, input_audio_transcription, turn_detection, ...others } = fields
  const words = readTranscription('session.input_audio_transcription', input_audio_transcription)
  const detection = readTurnDetection('session.turn_detection', turn_detection)
  return {
    ...(input_audio_format === undefined ? {} : { format: readEarlierFormat(input_audio_format) }),
    ...words,
    ...detection,
    ignored: [...named('session', others), ...words.ignored, ...detection.ignored],
  }
}

function readFormat(format: unknown): AudioFormat {
  const { type = 'audio/pcm', rate = PCM.sampleRateHz } = asFields('session.audio.input.format', format)
  switch (type) {
    case 'audio/pcm':
      return { ...PCM, sampleRateHz: readRate(rate) }
    case 'audio/pcmu':
      return PCMU
    case 'audio/pcma':
      return PCMA
    default:
      throw invalid('session.audio.input.format.type', 'must be audio/pcm, audio/pcmu or audio/pcma.')
  }
}

function readRate(rate: unknown): AudioFormat['sampleRateHz'] {
  const known = SAMPLE_RATES_HZ.find(one => one === rate)
  if (known !== undefined) return known
  throw invalid('session.audio.input.format.rate', `must be one of ${SAMPLE_RATES_HZ.join(', ')}.`)
}

function readEarlierFormat(format: unknown): AudioFormat {
  if (typeof format === 'string' && Object.hasOwn(EARLIER_FORMATS, format)) return EARLIER_FORMATS[format]!
  throw invalid('session.input_audio_format', `must be one of ${Object.keys(EARLIER_FORMATS).join(', ')}.`)
}

function readTranscription(place: string, transcription: unknown): SessionChange {
  if (transcription === undefined || transcription === null) return { ignored: [] }
  const { model, language, languages, prompt, keywords, ...others } = asFields('transcription', transcription)
  const change: { -readonly [K in keyof TranscriptionSession]?: TranscriptionSession[K] } = {}
  if (isGiven(model)) change.modelName = readString('transcription.model', model)
  if (isGiven(language)) change.language = readString('transcription.language', language)
  else if (isGiven(languages)) change.language = readLanguages(languages)
  if (isGiven(prompt)) change.prompt = readString('transcription.prompt', prompt)
  if (isGiven(keywords)) change.keywords = readStrings('transcription.keywords', keywords)
  return { ...change, ignored: named(place, others) }
}

/** We tell what is not set as null, and clients send back what they were told. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Those that the speaker may use; a session hears one. */
function readLanguages(languages: unknown): string {
  const given = readStrings('transcription.languages', languages)
  return asInvalidMessage(() => pickLanguage('transcription.languages', given))
}

/** A prompt is a list of words that are expected, as whisper-1 takes it; keywords are that list. */
function phrasesOf({ prompt, keywords }: TranscriptionSession): readonly string[] {
  const given = [...prompt.split(/[,;\n]/), ...keywords]
  return asInvalidMessage(() => checkPhrases('transcription.prompt and keywords', given))
}

function asInvalidMessage<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ServiceError('invalid_message', { message: (error as Error).message })
  }
}

/** `null` leaves the end of an utterance to commits. */
function readTurnDetection(place: string, detection: unknown): SessionChange {
  if (detection === undefined) return { ignored: [] }
  if (detection === null) return { silenceMs: undefined, ignored: [] }
  // The earlier form may leave the type out.
  const { type = 'server_vad', silence_duration_ms, ...others } = asFields(place, detection)
  if (type !== 'server_vad') throw invalid(`${place}.type`, 'must be server_vad, or turn_detection null.')
  return { silenceMs: readSilence(place, silence_duration_ms), ignored: named(place, others) }
}

function readSilence(place: string, silence: unknown): number {
  if (silence === undefined || silence === null) return DEFAULT_SILENCE_MS
  if (typeof silence === 'number' && silence >= MIN_SILENCE_MS && silence <= MAX_SILENCE_MS) {
    return Math.round(silence)
  }
  throw invalid(`${place}.silence_duration_ms`, `must be from ${MIN_SILENCE_MS} to ${MAX_SILENCE_MS}.`)
}

function readString(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw invalid(name, 'must be a string.')
}

function readStrings(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every(one => typeof one === 'string')) return value
  throw invalid(name, 'must be a list of strings.')
}

function asFields(name: string, value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw invalid(name, 'must be an object.')
}

function named(place: string, fields: Fields): readonly string[] {
  return Object.keys(fields)
    .filter(name => fields[name] !== null)
    .slice(0, 20)
    .map(name => `${place}.${name.slice(0, 40)}`)
}

function invalid(name: string, problem: string): ServiceError {
  return new ServiceError('invalid_message', { message: `${name} ${problem}` })
}
