import { describe, expect, it } from 'vitest'
import { matchPath } from '../../src/app/router.tsx'
import { tellApart } from '../../src/playground/use-playground.ts'
import { formatAgo, formatDuration, parseAmount } from '../../src/ui/format.ts'

describe('addresses', () => {
  it.each([
    ['/app', '/app', {}],
    ['/app', '/app/', {}],
    ['/app', '/app/keys', undefined],
    ['/operator/accounts/:id', '/operator/accounts/a%20b', { id: 'a b' }],
    ['/operator/accounts/:id', '/operator/accounts', undefined],
  ])('%s against %s', (pattern, path, params) => expect(matchPath(pattern, path)).toEqual(params))
})

describe('durations', () => {
  it.each([
    [0, '0 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [75_500, '1 min 16 s'],
    [3_600_000, '1 h'],
    [3_660_000, '1 h 1 min'],
    [36_000_000_000, '10,000 h'],
  ])('%i ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it.each([
    ['90', 90],
    ['15 min', 900],
    ['2h', 7200],
    ['1.5 hours', 5400],
    ['1,000 s', 1000],
    ['0', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('%j is %s seconds', (text, seconds) => expect(parseAmount(text)).toBe(seconds))

  it('says how long ago something was', () => {
    const now = Date.parse('2026-01-31T12:00:00Z')
    expect(formatAgo('2026-01-31T11:59:30Z', now)).toBe('just now')
    expect(formatAgo('2026-01-31T11:55:00Z', now)).toBe('5 min ago')
    expect(formatAgo('2026-01-31T09:00:00Z', now)).toBe('3 h ago')
    expect(formatAgo('2026-01-01T09:00:00Z', now)).toBe('1 Jan 2026')
  })
})

describe('what of a transcript is still changing', () => {
  it.each([
    ['', 'wĩ', '', 'wĩ'],
    ['wĩ', 'wĩ mwega', 'wĩ', ' mwega'],
    ['wĩ mweg', 'wĩ mwathani', 'wĩ ', 'mwathani'],
    ['wĩ mwega', 'wĩ mwega', 'wĩ mwega', ''],
    ['ati atĩa', 'atĩa', '', 'atĩa'],
  ])('%j, then %j', (before, now, steady, changing) =>
    expect(tellApart(before, now)).toEqual({ steady, changing }),
  )
})
