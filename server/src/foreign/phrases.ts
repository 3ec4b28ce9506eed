// Phrases that a speaker is expected to say, as foreign protocols bring them: with the limits of our own.

import { ServiceError } from '@sauti/protocol/errors'
import { MAX_PHRASES, MAX_PHRASES_CHARACTERS } from '@sauti/protocol/stream'

/** Throws invalid_parameter. Empty ones are left out. */
export function checkPhrases(parameter: string, given: readonly string[]): readonly string[] {
  const phrases = given.map(phrase => phrase.trim()).filter(phrase => phrase !== '')
  const characters = phrases.reduce((sum, phrase) => sum + [...phrase].length, 0)
  if (phrases.length <= MAX_PHRASES && characters <= MAX_PHRASES_CHARACTERS) return phrases
  throw new ServiceError('invalid_parameter', {
    message: `${parameter} can contain at most ${MAX_PHRASES} phrases with ${MAX_PHRASES_CHARACTERS} characters in total.`,
  })
}
