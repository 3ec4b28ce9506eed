// Which of our models a foreign protocol means: programs written for another service name its models, and a language.

import { ServiceError } from '@sauti/protocol/errors'
import { findModel, MODELS, type ModelId } from '@sauti/protocol/models'

export interface ModelChoice {
  readonly model: ModelId
  /** The name was another service's, and the language decided. */
  readonly byLanguage: boolean
}

/** Throws 400 for a language that we do not have or that is not the model's, 404 where neither names a model of ours. */
export function chooseModel(name: string | undefined, language: string | undefined): ModelChoice {
  const named = name === undefined ? undefined : findModel(name)
  const spoken = language === undefined ? undefined : findByLanguage(language)
  if (language !== undefined && !spoken) throw unknownLanguage(language)
  if (named && spoken && named !== spoken) {
    throw new ServiceError('invalid_parameter', {
      message: `The model ${named.id} does not hear ${spoken.language}.`,
    })
  }
  const chosen = named ?? spoken
  if (!chosen) throw new ServiceError('model_not_found', { message: `Name a model (${listModels()}).` })
  return { model: chosen.id, byLanguage: !named }
}

/** The one of several languages that we have. Throws 400 where that is none, or more than one. */
export function pickLanguage(parameter: string, given: readonly string[]): string {
  const known = given.filter(findByLanguage)
  if (known.length === 1) return known[0]!
  if (known.length === 0) throw unknownLanguage(given.join(', '))
  throw new ServiceError('invalid_parameter', {
    message: `${parameter} can contain only one of ${known.join(', ')}: each has a model of its own.`,
  })
}

export function isLanguageOf(model: ModelId, language: string): boolean {
  return findByLanguage(language)?.id === model
}

/** By code or name, with or without a region: `ki`, `ki-KE`, `Kikuyu`. */
function findByLanguage(language: string): (typeof MODELS)[number] | undefined {
  const [tag = ''] = language.toLowerCase().split(/[-_]/, 1)
  return MODELS.find(model => model.languageCode === tag || model.language.toLowerCase() === tag)
}

function unknownLanguage(language: string): ServiceError {
  const known = MODELS.map(model => `${model.languageCode} (${model.language})`).join(', ')
  return new ServiceError('invalid_parameter', {
    message: `The language ${JSON.stringify(language.slice(0, 40))} is not known here. Known are ${known}.`,
  })
}

function listModels(): string {
  return MODELS.map(model => model.id).join(', ')
}
