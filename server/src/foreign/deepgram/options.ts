// The query of a request to Deepgram's address, read by the option table. Everything that is wrong is a 400 that names the option.

import { ServiceError } from '@sauti/protocol/errors'
import type { ModelId } from '@sauti/protocol/models'
import { chooseModel } from '../find-model.ts'
import { checkPhrases } from '../phrases.ts'
import { DEEPGRAM_OPTIONS, type Medium, type OptionRule, type OptionWarning } from './option-table.ts'

/** Options of live audio and of files. */
export interface CommonOptions {
  readonly model: ModelId
  readonly phrases: readonly string[]
  readonly warnings: readonly OptionWarning[]
}

const OFF_VALUES = new Set(['', 'false', '0', 'off', 'none'])
const ELSEWHERE: Readonly<Record<Medium, string>> = {
  live: 'It is for live audio.',
  file: 'It is for files. Live audio comes in utterances anyway.',
}

export function readCommonOptions(query: URLSearchParams, medium: Medium): CommonOptions {
  const warnings = [...new Set(query.keys())].flatMap(name => judgeOption(name, query.getAll(name), medium))
  const name = query.get('model') ?? undefined
  const { model, byLanguage } = chooseModel(name, query.get('language') ?? undefined)
  if (byLanguage && name !== undefined) {
    warnings.push({ parameter: 'model', type: 'adjusted', message: `The language chose the model ${model}.` })
  }
  const { phrases, warnings: leftOut } = readPhrases(query)
  return { model, phrases, warnings: [...warnings, ...leftOut] }
}

/** An unknown option is listed as ignored, because Deepgram accepts it, too. */
function judgeOption(name: string, values: readonly string[], medium: Medium): OptionWarning[] {
  const rule: OptionRule = Object.hasOwn(DEEPGRAM_OPTIONS, name)
    ? DEEPGRAM_OPTIONS[name]!
    : { support: 'ignored', why: 'There is no such option.' }
  const isOff = values.every(value => OFF_VALUES.has(value.toLowerCase()))
  switch (rule.support) {
    case 'works':
      if (!rule.isList && new Set(values).size > 1) throw invalid(name, 'has two different values.')
      return isOff || (rule.only ?? medium) === medium ? [] : [ignored(name, ELSEWHERE[rule.only!])]
    case 'ignored':
      return isOff ? [] : [ignored(name, rule.why)]
    case 'refused':
      if (isOff) return []
      throw invalid(name, `is not supported. ${rule.why}`)
  }
}

function ignored(name: string, message: string): OptionWarning {
  return { parameter: name.slice(0, 40), type: 'ignored', message }
}

/**
 * `keywords` may carry a weight (`word:2`), which we do not have. A negative one asks for the opposite, that the word be written less often:
 * such a word must not be expected.
 */
function readPhrases(query: URLSearchParams): Pick<CommonOptions, 'phrases' | 'warnings'> {
  const given = query.getAll('keywords')
  const wanted = given.filter(keyword => !/:-[\d.]+$/.test(keyword))
  const keywords = wanted.map(keyword => keyword.replace(/:[\d.]+$/, ''))
  return {
    phrases: checkPhrases('keyterm', [...query.getAll('keyterm'), ...keywords]),
    warnings: wanted.length < given.length ? [SUPPRESSED] : [],
  }
}

const SUPPRESSED: OptionWarning = {
  parameter: 'keywords',
  type: 'adjusted',
  message: 'Words cannot be suppressed: those with a negative weight were left out.',
}

export function readBoolean(query: URLSearchParams, name: string): boolean {
  const given = query.get(name)?.toLowerCase()
  if (given === undefined || given === 'false') return false
  if (given === 'true' || given === '') return true
  throw invalid(name, 'must be true or false.')
}

export function readInteger(
  query: URLSearchParams,
  name: string,
  min: number,
  max: number,
): number | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
  if (value >= min && value <= max) return value
  throw invalid(name, `must be a whole number from ${min} to ${max}.`)
}

export function invalid(name: string, problem: string): ServiceError {
  return new ServiceError('invalid_parameter', { message: `The option ${name.slice(0, 40)} ${problem}` })
}
