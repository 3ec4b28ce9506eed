// What a transcription was asked for, from the fields of its form.

import { ServiceError } from '@sauti/protocol/errors'
import { findModel, isModelId, type ModelId } from '@sauti/protocol/models'
import type { KeyHolder } from '../../accounts/keys.ts'
import { isLanguageOf } from '../../foreign/find-model.ts'
import { checkPhrases } from '../../foreign/phrases.ts'
import type { Fields } from './form.ts'

export const RESPONSE_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number]
export const GRANULARITIES = ['word', 'segment'] as const
type Granularity = (typeof GRANULARITIES)[number]

export interface AnswerOptions {
  readonly format: ResponseFormat
  readonly granularities: readonly Granularity[]
  /** Fields without effect. */
  readonly ignored: readonly string[]
}

type FieldRule =
  | { readonly support: 'works' }
  /** Accepted, without effect; named in the header `x-ignored-parameters`. */
  | { readonly support: 'ignored' }
  /** The answer would not be what the client asked for. */
  | { readonly support: 'refused'; readonly why: string }

const works: FieldRule = { support: 'works' }
const ignored: FieldRule = { support: 'ignored' }
const oneSpeaker: FieldRule = { support: 'refused', why: 'Speakers are not separated.' }

/** Fields with several values, which clients write as `name[]`. */
const LISTS = ['timestamp_granularities', 'languages', 'keywords']

/** Every field of OpenAI's form but the file. The documentation shows the same table, and a test compares them with each other and with OpenAI's client. */
export const TRANSCRIPTION_FIELDS: Readonly<Record<string, FieldRule>> = {
  model: works,
  response_format: works,
  timestamp_granularities: works,
  language: works,
  languages: works,
  keywords: works,
  prompt: ignored,
  temperature: ignored,
  chunking_strategy: ignored,
  include: ignored,
  stream: { support: 'refused', why: 'It must be false: use the WebSocket for live text.' },
  known_speaker_names: oneSpeaker,
  known_speaker_references: oneSpeaker,
}

export function readModel(fields: Fields, { models }: KeyHolder): ModelId {
  const model = fields.get('model')?.[0]
  if (!model) throw new ServiceError('missing_parameter', { message: 'model is required.' })
  if (!isModelId(model)) throw new ServiceError('model_not_found')
  if (models && !models.includes(model)) throw new ServiceError('model_not_allowed')
  return model
}

/** Words to expect. They have an effect only where they arrived before the file is heard. */
export function readKeywords(fields: Fields): readonly string[] {
  return checkPhrases('keywords', readList(fields, 'keywords'))
}

/** `heardFor`: the keywords that the file is heard with. */
export function readAnswerOptions(
  fields: Fields,
  model: ModelId,
  heardFor: readonly string[],
): AnswerOptions {
  for (const [name, values] of fields) checkField(name, values)
  checkLanguage(fields.get('language')?.[0], model)
  checkLanguages(readList(fields, 'languages'), model)
  const format = readChoice('response_format', fields.get('response_format')?.[0] ?? 'json', RESPONSE_FORMATS)
  const late = readKeywords(fields).length > heardFor.length ? ['keywords'] : []
  return {
    format,
    granularities: readGranularities(fields, format),
    ignored: [...listIgnored(fields), ...late],
  }
}

function checkField(name: string, values: readonly string[]): void {
  const rule = ruleOf(name)
  if (!rule)
    throw new ServiceError('unknown_parameter', { message: `${name.slice(0, 40)} is not a parameter.` })
  if (rule.support === 'refused' && values.some(value => value !== 'false'))
    throw invalid(`${nameOf(name)} is not supported. ${rule.why}`)
  if (rule.support === 'works' && values.length > 1 && !LISTS.includes(nameOf(name)))
    throw invalid(`${name} can be sent only once.`)
}

function listIgnored(fields: Fields): readonly string[] {
  const names = [...fields.keys()].filter(name => ruleOf(name)?.support === 'ignored')
  return [...new Set(names.map(nameOf))]
}

function ruleOf(name: string): FieldRule | undefined {
  const rule = Object.hasOwn(TRANSCRIPTION_FIELDS, nameOf(name))
    ? TRANSCRIPTION_FIELDS[nameOf(name)]
    : undefined
  const isPlain = nameOf(name) === name || LISTS.some(list => name === `${list}[]`)
  return rule?.support === 'works' && !isPlain ? undefined : rule
}

/** Clients write lists and objects as `name[]` and `name[key]`. */
function nameOf(field: string): string {
  return field.replace(/\[.*$/s, '')
}

function readList(fields: Fields, name: string): readonly string[] {
  return [`${name}[]`, name].flatMap(one => fields.get(one) ?? [])
}

function readGranularities(fields: Fields, format: ResponseFormat): readonly Granularity[] {
  const given = readList(fields, 'timestamp_granularities')
  if (given.length > 0 && format !== 'verbose_json') {
    throw invalid('timestamp_granularities needs response_format verbose_json.')
  }
  return given.length === 0
    ? ['segment']
    : given.map(one => readChoice('timestamp_granularities', one, GRANULARITIES))
}

function checkLanguage(text: string | undefined, model: ModelId): void {
  if (text === undefined || text === '' || isLanguageOf(model, text)) return
  const { languageCode } = findModel(model)!
  throw invalid(`language must be ${languageCode}, the language of ${model}, or be left out.`)
}

/** Those that the speaker may use: one of them must be what the model hears. */
function checkLanguages(given: readonly string[], model: ModelId): void {
  if (given.length === 0 || given.some(text => isLanguageOf(model, text))) return
  const { languageCode } = findModel(model)!
  throw invalid(`languages must contain ${languageCode}, the language of ${model}, or be left out.`)
}

function readChoice<T extends string>(name: string, value: string, choices: readonly T[]): T {
  const choice = choices.find(one => one === value)
  if (choice !== undefined) return choice
  throw invalid(`${name} must be one of ${choices.join(', ')}.`)
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_parameter', { message })
}
