import { ServiceError } from '@sauti/protocol/errors'
import { describe, expect, it } from 'vitest'
import { chooseModel, isLanguageOf, pickLanguage } from '#server/foreign/find-model.js'

function refusalOf(ask: () => unknown): Pick<ServiceError, 'code' | 'message'> {
  try {
    ask()
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('It was not refused.')
}

describe('the model that a foreign protocol means', () => {
  it('is the one that is named, or that of the language', () => {
    expect(chooseModel('svc-asr-dholuo-v1', undefined)).toEqual({
      model: 'svc-asr-dholuo-v1',
      byLanguage: false,
    })
    expect(chooseModel('nova-3', 'ki-KE')).toEqual({ model: 'svc-asr-kikuyu-v1', byLanguage: true })
  })

  it('is none where name and language contradict each other', () => {
    expect(refusalOf(() => chooseModel('svc-asr-dholuo-v1', 'ki'))).toEqual({
      code: 'invalid_parameter',
      message: 'The model svc-asr-dholuo-v1 does not hear Kikuyu.',
    })
  })
})

describe('a language', () => {
  it('belongs to its model, whatever the region, and to no other', () => {
    expect(isLanguageOf('svc-asr-kikuyu-v1', 'ki-KE')).toBe(true)
    expect(isLanguageOf('svc-asr-kikuyu-v1', 'luo')).toBe(false)
  })

  it('that is not known belongs to none', () => {
    expect(isLanguageOf('svc-asr-kikuyu-v1', 'en')).toBe(false)
  })
})

describe('one of several languages', () => {
  it('is the one that has a model', () => {
    expect(pickLanguage('languages', ['en', 'luo'])).toBe('luo')
  })

  it('is none where all are unknown, and the refusal repeats them', () => {
    expect(refusalOf(() => pickLanguage('languages', ['en', 'fr']))).toEqual({
      code: 'invalid_parameter',
      message: 'The language "en, fr" is not known here. Known are ki (Kikuyu), luo (Dholuo).',
    })
  })

  it('is none where two have a model', () => {
    expect(refusalOf(() => pickLanguage('languages', ['ki', 'luo']))).toEqual({
      code: 'invalid_parameter',
      message: 'languages can contain only one of ki, luo: each has a model of its own.',
    })
  })
})
