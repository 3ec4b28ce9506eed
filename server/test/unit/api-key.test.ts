import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateApiKey, hashApiKey, hintOf, isApiKey } from '#server/accounts/api-key.js'

const randomKey = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map(bytes => generateApiKey(Buffer.from(bytes)))

describe('an API key', () => {
  it('has the prefix of the interface and only letters and digits after it', () => {
    fc.assert(
      fc.property(randomKey, key => {
        expect(key).toMatch(/^svc_live_v1_[0-9A-Za-z]{49}$/)
      }),
    )
  })

  it('is recognised, and any single mistyped character is not', () => {
    const position = fc.nat({ max: 48 })
    const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
    fc.assert(
      fc.property(randomKey, position, character, (key, offset, replacement) => {
        const at = 'svc_live_v1_'.length + offset
        const mistyped = key.slice(0, at) + replacement + key.slice(at + 1)
        expect(isApiKey(key)).toBe(true)
        expect(isApiKey(mistyped)).toBe(mistyped === key)
      }),
    )
  })

  it('differs for different randomness', () => {
    const keys = Array.from({ length: 100 }, () => generateApiKey())
    expect(new Set(keys).size).toBe(100)
    expect(generateApiKey(Buffer.alloc(32, 0))).not.toBe(generateApiKey(Buffer.alloc(32, 255)))
  })

  it.each([
    '',
    'svc_live_v1_',
    'sk_live_123',
    // Its checksum is right: that of nothing.
    '000000',
    `svc_live_v1_${'a'.repeat(49)}`,
    `${generateApiKey()} `,
    `${generateApiKey()}\n`,
  ])('%j is none', text => {
    expect(isApiKey(text)).toBe(false)
  })

  it('is stored as a hash, and its hint reveals four characters', () => {
    const key = generateApiKey()
    expect(hashApiKey(key)).toHaveLength(32)
    expect(hintOf(key)).toBe(key.slice(0, 16))
  })
})
