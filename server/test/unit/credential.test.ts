import { createHmac, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveCredentialKeys, issueCredential, readCredential } from '#server/sessions/credential.js'

const key = deriveCredentialKeys(['a secret of the server'])
const claims = fc.record({
  sessionId: fc.uuid(),
  expiresAt: fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }),
})

describe('a session credential', () => {
  it('says what was put into it', () => {
    fc.assert(
      fc.property(claims, claim => {
        expect(readCredential(key, issueCredential(key, claim))).toEqual(claim)
      }),
    )
  })

  it('is a legal subprotocol name', () => {
    // RFC 9110 token characters.
    const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
    fc.assert(
      fc.property(claims, claim => {
        expect(issueCredential(key, claim)).toMatch(token)
      }),
    )
  })

  it('is the same every time, so that a replay can return it', () => {
    const claim = { sessionId: randomUUID(), expiresAt: new Date() }
    expect(issueCredential(key, claim)).toBe(issueCredential(key, claim))
  })

  it('is refused when any character of it is changed', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    fc.assert(
      fc.property(claims, fc.nat({ max: 71 }), fc.constantFrom(...alphabet), (claim, offset, replacement) => {
        const credential = issueCredential(key, claim)
        const at = 'svc.auth.'.length + offset
        const forged = credential.slice(0, at) + replacement + credential.slice(at + 1)
        expect(readCredential(key, forged) !== undefined).toBe(forged === credential)
      }),
    )
  })

  it('has one spelling: with a character more, in front or behind, it is refused', () => {
    const credential = issueCredential(key, { sessionId: randomUUID(), expiresAt: new Date() })
    const body = credential.slice('svc.auth.'.length)
    // Those that a decoder of base64 would skip.
    for (const extra of ['!', ' ', '=', '\n']) {
      expect(readCredential(key, `svc.auth.${extra}${body}`)).toBeUndefined()
      expect(readCredential(key, `svc.auth.${body}${extra}`)).toBeUndefined()
    }
  })

  it('is signed with a key that serves for nothing else, the same in every version', () => {
    const credential = issueCredential(key, { sessionId: randomUUID(), expiresAt: new Date() })
    const bytes = Buffer.from(credential.slice('svc.auth.'.length), 'base64url')
    const derived = createHmac('sha256', 'a secret of the server')
      .update('sauti session credential v1')
      .digest()
    const signature = createHmac('sha256', derived).update(bytes.subarray(0, 22)).digest()
    expect(bytes.subarray(22)).toEqual(signature)
  })

  it('is refused under another secret', () => {
    const claim = { sessionId: randomUUID(), expiresAt: new Date() }
    expect(readCredential(deriveCredentialKeys(['another']), issueCredential(key, claim))).toBeUndefined()
  })

  it.each([
    '',
    'svc.auth.',
    'svc.auth.AAAA',
    `svc.auth.${'A'.repeat(73)}`,
    `svc.auth.${'='.repeat(72)}`,
    'A'.repeat(81),
  ])('%j is none', text => {
    expect(readCredential(key, text)).toBeUndefined()
  })

  it('of the previous secret is still good while both are there, and new ones are of the new secret', () => {
    const claim = { sessionId: randomUUID(), expiresAt: new Date() }
    const [before, during, after] = [
      deriveCredentialKeys(['old']),
      deriveCredentialKeys(['new', 'old']),
      deriveCredentialKeys(['new']),
    ]
    expect(readCredential(during, issueCredential(before, claim))).toEqual(claim)
    expect(readCredential(after, issueCredential(during, claim))).toEqual(claim)
    expect(readCredential(after, issueCredential(before, claim))).toBeUndefined()
  })
})
