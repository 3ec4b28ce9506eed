// What a transcription was asked for, from the fields of its form.

import { ServiceError } from '@sauti/protocol/errors'
import { findModel, isModelId, type ModelId } from '@sauti/protocol/models'
import type { KeyHolder } from '../../accounts/keys.ts'
import type { Fields } from './form.ts'

export const RESPONSE_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number]
export const GRANULARITIES = ['word', 'segment'] as const
type Granularity = (typeof GRANULARITIES)[number]

export interface AnswerOptions {
  readonly format: ResponseFormat
  readonly granularities: readonly Granularity[]
}

/** Accepted without effect: the models have no temperature, and do not take earlier text. */
const IGNORED = ['temperature', 'prompt', 'chunking_strategy']
const KNOWN = new Set([
  'model',
  'language',
  'response_format',
  'timestamp_granularities',
  'timestamp_granularities[]',
  'stream',
  ...IGNORED,
])

export function readModel(fields: Fields, { models }: KeyHolder): ModelId {
  const model = fields.get('model')?.[0]
  if (!model) throw new ServiceError('missing_parameter', { message: 'model is required.' })
  if (!isModelId(model)) throw new ServiceError('model_not_found')
  if (models && !models.includes(model)) throw new ServiceError('model_not_allowed')
  return model
}

export function readAnswerOptions(fields: Fields, model: ModelId): AnswerOptions {
  for (const name of fields.keys()) {
    if (!KNOWN.has(name))
      throw new ServiceError('unknown_parameter', { message: `${name.slice(0, 40)} is not a parameter.` })
  }
  checkLanguage(fields.get('language')?.[0], model)
  if ((fields.get('stream')?.[0] ?? 'false') !== 'false')
    throw invalid('stream must be false: use the WebSocket for live text.')
  const format = readChoice('response_format', fields.get('response_format')?.[0] ?? 'json', RESPONSE_FORMATS)
  return { format, granularities: readGranularities(fields, format) }
}

function readGranularities(fields: Fields, format: ResponseFormat): readonly Granularity[] {
  const given = ['timestamp_granularities[]', 'timestamp_granularities'].flatMap(
    name => fields.get(name) ?? [],
  )
  if (given.length > 0 && format !== 'verbose_json') {
    throw invalid('timestamp_granularities needs response_format verbose_json.')
  }
  return given.length === 0
    ? ['segment']
    : given.map(one => readChoice('timestamp_granularities', one, GRANULARITIES))
}

function checkLanguage(text: string | undefined, model: ModelId): void {
  if (text === undefined || text === '') return
  const { language, languageCode } = findModel(model)!
  const wanted = text.toLowerCase()
  if (wanted === languageCode || wanted === language.toLowerCase()) return
  throw invalid(`language must be ${languageCode}, the language of ${model}, or be left out.`)
}

function readChoice<T extends string>(name: string, value: string, choices: readonly T[]): T {
  const choice = choices.find(one => one === value)
  if (choice !== undefined) return choice
  throw invalid(`${name} must be one of ${choices.join(', ')}.`)
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_parameter', { message })
}
