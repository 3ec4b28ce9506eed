// Any settings: they are read, or refused in words that name the variable.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ConfigError, readConfig } from '#server/settings/config.js'
import { SETTINGS } from '#server/settings/table.js'
import { FUZZ_TIMEOUT_MS, fuzz } from '../../support/fuzzing.ts'

const NAMES = Object.values(SETTINGS).map(({ variable }) => variable)

const text = fc.oneof(
  fc.constantFrom(
    'on',
    'off',
    '0',
    '1',
    '-1',
    '1e9',
    'NaN',
    'Infinity',
    '0x10',
    '1,2',
    '::1',
    '10.0.0.0/8',
    'https://x',
    'http://x',
    'https://[',
    'postgres://',
    '/',
    '..',
  ),
  fc.string({ maxLength: 60 }),
  fc.webUrl(),
  fc.integer().map(String),
  fc.double().map(String),
)

it(
  'any settings are read, or refused by name',
  async () => {
    const env = fc.dictionary(fc.constantFrom(...NAMES), text, { maxKeys: 6 })
    await fuzz(
      fc.property(env, values => {
        try {
          readConfig(values)
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError)
          for (const problem of (error as ConfigError).problems) expect(problem).toMatch(/SAUTI_/)
        }
      }),
    )
  },
  FUZZ_TIMEOUT_MS,
)
