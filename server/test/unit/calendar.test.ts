import { describe, expect, it } from 'vitest'
import { listDates, openZone } from '#server/http/console/account/calendar.js'

describe('the days of a range', () => {
  it('have both ends, across months', () => {
    expect(listDates('2026-02-27', '2026-03-01', 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
  })

  it.each([
    ['too many', '2026-01-01', '2026-01-04'],
    // To list them all took seconds, in which no stream was served.
    ['millions', '0001-01-01', '9999-12-31'],
    ['in the wrong order', '2026-01-02', '2026-01-01'],
    ['no dates', '2026-13-01', '2026-13-01'],
  ])('are not listed where they are %s', (_, from, to) => {
    expect(listDates(from, to, 3)).toEqual([])
  })
})

describe('a day of a zone', () => {
  it.each([
    ['Africa/Nairobi', '2026-03-10', '2026-03-09T21:00:00.000Z'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z'],
    // The clocks go from 23:59:59 to 1:00.
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
  ])('begins at midnight in %s', (zone, date, moment) => {
    expect(openZone(zone)!.midnight(date).toISOString()).toBe(moment)
  })

  it('needs a zone that exists', () => {
    expect(openZone('Mars/Olympus')).toBeUndefined()
  })
})
