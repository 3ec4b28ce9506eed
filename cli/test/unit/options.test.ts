import { describe, expect, it } from 'vitest'
import { type Command, UsageError } from '#cli/command.js'
import {
  parseOptions,
  readCount,
  readCreditMs,
  readEmail,
  readExpiry,
  readId,
  readLimitMs,
  readModels,
  readName,
} from '#cli/options.js'

const command: Command = {
  name: 'things make',
  options: {
    thing: { value: 'X', description: '' },
    other: { value: 'Y', description: '' },
    quick: { description: '' },
  },
  positional: 'thing',
  examples: [],
  run: async () => undefined,
}
const parse = (...args: string[]) => parseOptions(command, args)
const thing = (value: string) => parse('--thing', value)

function attempt<T>(read: () => T): T | 'usage error' {
  try {
    return read()
  } catch (error) {
    if (error instanceof UsageError) return 'usage error'
    throw error
  }
}

describe('what is wrong', () => {
  it('is called as the client writes it', () => {
    expect(() => readId(parse('1'), 'thing')).toThrow(/^X must be an id/)
    expect(() => readId(parse('--other', '1'), 'other')).toThrow(/^--other must be an id/)
  })

  it.each([
    ['0', 'usage error'],
    ['0.000', 'usage error'],
    ['-1', 'usage error'],
    ['0.001', 1],
    ['60', 60_000],
  ])('a limit of %s is %s', (text, expected) => {
    expect(attempt(() => readLimitMs(parse(`--other=${text}`), 'other'))).toBe(expected)
  })

  it('no limit is null', () => {
    expect(readLimitMs(parse(), 'other')).toBeNull()
  })
})

describe('options', () => {
  it('come with their name, with an equals sign, or bare where the command says so', () => {
    expect(parse('--thing', 'a').text('thing')).toBe('a')
    expect(parse('--thing=a').text('thing')).toBe('a')
    expect(parse('a').text('thing')).toBe('a')
    expect(parse('--quick').flag('quick')).toBe(true)
    expect(parse().flag('json')).toBe(false)
    expect(parse('--json').flag('json')).toBe(true)
  })

  it.each([[['--unknown']], [['--thing']], [['--quick=yes']], [['a', 'b']], [['-x']]])(
    '%j is a usage error',
    args => {
      expect(attempt(() => parse(...args))).toBe('usage error')
    },
  )

  it('complain when a required one is missing or empty', () => {
    expect(attempt(() => parse().required('thing'))).toBe('usage error')
    expect(attempt(() => thing('').required('thing'))).toBe('usage error')
  })
})

describe('values', () => {
  it.each([
    ['3600', 3_600_000],
    ['0', 0],
    ['0.5', 500],
    ['90.125', 90_125],
    ['1e3', 'usage error'],
    ['-5', 'usage error'],
    ['1.0005', 'usage error'],
    ['99999999999', 'usage error'],
    ['ten', 'usage error'],
  ])('%s seconds of credit are %s ms', (text, expected) => {
    expect(attempt(() => readCreditMs(parse(`--thing=${text}`), 'thing'))).toBe(expected)
  })

  it.each([
    ['30m', 30 * 60_000],
    ['12h', 12 * 3_600_000],
    ['90d', 90 * 86_400_000],
    ['8w', 56 * 86_400_000],
    ['90', 'usage error'],
    ['0d', 'usage error'],
    ['1y', 'usage error'],
  ])('a life of %s', (text, expected) => {
    const now = new Date()
    const expiry = attempt(() => readExpiry(thing(text), 'thing', now))
    expect(expiry instanceof Date ? expiry.getTime() - now.getTime() : expiry).toBe(expected)
  })

  it('are checked before anything is opened', () => {
    expect(attempt(() => readId(thing('ABCDEF01-2345-4678-9abc-def012345678'), 'thing'))).toBe(
      'abcdef01-2345-4678-9abc-def012345678',
    )
    expect(attempt(() => readId(thing('7'), 'thing'))).toBe('usage error')
    expect(attempt(() => readName(thing('  Radio  '), 'thing'))).toBe('Radio')
    expect(attempt(() => readName(thing('x'.repeat(201)), 'thing'))).toBe('usage error')
    expect(attempt(() => readName(thing('a\u001b[31mb'), 'thing'))).toBe('usage error')
    expect(attempt(() => readName(thing('Mũthaiga \u202eoidaR'), 'thing'))).toBe('usage error')
    expect(attempt(() => readEmail(thing(' Chief@Example.ORG '), 'thing'))).toBe('chief@example.org')
    expect(attempt(() => readEmail(thing('a\u001bb@example.org'), 'thing'))).toBe('usage error')
    expect(attempt(() => readEmail(thing(`${'x'.repeat(250)}@example.org`), 'thing'))).toBe('usage error')
    expect(attempt(() => readCount(thing('4'), 'thing'))).toBe(4)
    expect(attempt(() => readCount(thing('0'), 'thing'))).toBe('usage error')
    expect(attempt(() => readModels(parse(), 'thing'))).toBeNull()
    expect(attempt(() => readModels(thing('svc-asr-kikuyu-v1, svc-asr-dholuo-v1'), 'thing'))).toHaveLength(2)
    expect(attempt(() => readModels(thing('gpt'), 'thing'))).toBe('usage error')
  })
})
