import { describe, expect, it } from 'vitest'
import { Asset, chooseEncoding } from '#server/http/console/site/assets.js'
import { isKnown } from '#server/http/console/site/page.js'

describe('a file of the site', () => {
  const page = new Asset('page.html', Buffer.from('x'))

  it.each([
    [undefined, 'identity'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000,gzip;q=0', 'identity'],
    ['deflate', 'identity'],
  ])('is compressed for %j as %s', (accepted, expected) => {
    expect(chooseEncoding(page, accepted)).toBe(expected)
  })

  it('is never compressed twice', () => {
    expect(chooseEncoding(new Asset('clip.wav', Buffer.from('x')), 'br')).toBe('identity')
  })

  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a"', true],
    ['"b"', false],
    [undefined, false],
  ])('is known to a client that has %j: %s', (header, expected) => {
    expect(isKnown('"a"', header)).toBe(expected)
  })
})
