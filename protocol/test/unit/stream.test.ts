import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '#protocol/errors.js'
import { MAX_PHRASES, MAX_PHRASES_CHARACTERS, parseClientMessage } from '#protocol/stream.js'

const parse = (message: unknown) => parseClientMessage(JSON.stringify(message))

function codeOf(text: string): string {
  try {
    parseClientMessage(text)
  } catch (error) {
    if (error instanceof ServiceError) return error.code
    throw error
  }
  return 'accepted'
}

describe('a client message', () => {
  it.each([
    [{ type: 'flush' }, { type: 'flush' }],
    [{ type: 'reset' }, { type: 'reset' }],
    [{ type: 'config' }, { type: 'config' }],
    [
      { type: 'config', language: 'ki' },
      { type: 'config', language: 'ki' },
    ],
    [
      { type: 'config', context: [56, 13] },
      { type: 'config', lookAhead: 13 },
    ],
    [
      { type: 'config', context: [56, 0] },
      { type: 'config', lookAhead: 0 },
    ],
    [
      { type: 'config', context: ['Nairobi', 'Kisumu'] },
      { type: 'config', phrases: ['Nairobi', 'Kisumu'] },
    ],
    [
      { type: 'config', context: [] },
      { type: 'config', phrases: [] },
    ],
    [{ type: 'flush', later: 'addition' }, { type: 'flush' }],
  ])('%j is understood', (message, expected) => {
    expect(parse(message)).toEqual(expected)
  })

  it.each([
    ['', 'invalid_json'],
    ['{', 'invalid_json'],
    ['null', 'invalid_message'],
    ['[]', 'invalid_message'],
    ['"flush"', 'invalid_message'],
    ['{}', 'unknown_message_type'],
    ['{"type":7}', 'unknown_message_type'],
    ['{"type":"Flush"}', 'unknown_message_type'],
    ['{"type":"__proto__"}', 'unknown_message_type'],
    ['{"type":"config","language":""}', 'invalid_message'],
    ['{"type":"config","language":null}', 'invalid_message'],
    ['{"type":"config","context":null}', 'invalid_message'],
    ['{"type":"config","context":"56,13"}', 'invalid_message'],
    ['{"type":"config","context":[56]}', 'invalid_message'],
    ['{"type":"config","context":[56,13,0]}', 'invalid_message'],
    ['{"type":"config","context":[55,13]}', 'invalid_message'],
    ['{"type":"config","context":[56,7]}', 'invalid_message'],
    ['{"type":"config","context":["a",1]}', 'invalid_message'],
  ])('%s is %s', (text, code) => {
    expect(codeOf(text)).toBe(code)
  })

  it('may hold as many phrases and characters as agreed, and not one more', () => {
    const phrases = (count: number, length: number) => ({
      type: 'config',
      context: Array.from({ length: count }, () => 'ĩ'.repeat(length)),
    })
    const each = MAX_PHRASES_CHARACTERS / MAX_PHRASES
    expect(codeOf(JSON.stringify(phrases(MAX_PHRASES, each)))).toBe('accepted')
    expect(codeOf(JSON.stringify(phrases(MAX_PHRASES + 1, 1)))).toBe('invalid_message')
    expect(codeOf(JSON.stringify(phrases(1, MAX_PHRASES_CHARACTERS + 1)))).toBe('invalid_message')
  })

  it('is understood or refused with a code, whatever the text', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ type: fc.constant('config'), context: fc.anything() })
        .map(value => JSON.stringify(value) ?? ''),
    )
    fc.assert(
      fc.property(anything, text => {
        expect(['accepted', 'invalid_json', 'invalid_message', 'unknown_message_type']).toContain(
          codeOf(text),
        )
      }),
    )
  })
})
