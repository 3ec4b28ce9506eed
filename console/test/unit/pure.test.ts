import { describe, expect, it } from 'vitest'
import { matchPath } from '../../src/app/router.tsx'
import { tellApart } from '../../src/playground/heard.ts'
import { lastDays, problemOf } from '../../src/ui/dates.ts'
import { formatAgo, formatDuration, mailLink, parseAmount } from '../../src/ui/format.ts'
import { quantileMs } from '../../src/ui/quantile.ts'

describe('addresses', () => {
  it.each([
    ['/app', '/app', {}],
    ['/app', '/app/', {}],
    ['/app', '/app/keys', undefined],
    ['/operator/accounts/:id', '/operator/accounts/a%20b', { id: 'a b' }],
    ['/operator/accounts/:id', '/operator/accounts/%zz', { id: '%zz' }],
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

describe('ranges of days', () => {
  it('ends today and holds as many days as asked for, across the end of a month', () => {
    expect(lastDays(7, new Date(2026, 2, 3, 23, 59))).toEqual({ from: '2026-02-25', to: '2026-03-03' })
    expect(lastDays(1, new Date(2026, 0, 1, 0, 1))).toEqual({ from: '2026-01-01', to: '2026-01-01' })
  })

  it.each([
    ['2026-01-01', '2026-01-01', undefined],
    ['2026-01-01', '2027-01-01', undefined],
    ['2026-01-01', '2027-01-02', 'Choose at most 366 days.'],
    ['2026-01-02', '2026-01-01', 'The last day is before the first.'],
    ['', '2026-01-01', 'Choose both dates.'],
  ])('%s to %s: %s', (from, to, problem) => expect(problemOf({ from, to })).toBe(problem))
})

describe('percentiles of a histogram', () => {
  const upper_ms = [100, 200, 500]
  const before = { upper_ms, counts: [10, 10, 10, 10] }

  it('says nothing where nothing was measured', () => {
    expect(quantileMs({ upper_ms: [], counts: [] }, undefined, 0.5)).toBeUndefined()
    expect(quantileMs(before, before, 0.5)).toBeUndefined()
  })

  it('counts only what came after the earlier reading', () => {
    const now = { upper_ms, counts: [10, 20, 20, 20] }
    expect(quantileMs(now, before, 0.5)).toBe(150)
    expect(quantileMs(now, undefined, 0.5)).toBe(100)
  })

  it('knows no more than the last bound for what took longer', () => {
    expect(quantileMs({ upper_ms, counts: [0, 0, 0, 3] }, undefined, 0.99)).toBe(500)
  })
})

describe('links to write to somebody', () => {
  it.each([
    ['wanjiru@example.org', 'mailto:wanjiru@example.org'],
    ['a?bcc=all@example.org', 'mailto:a%3Fbcc%3Dall@example.org'],
    ['a&body=x@example.org', 'mailto:a%26body%3Dx@example.org'],
  ])('%s', (email, link) => expect(mailLink(email)).toBe(link))
})
