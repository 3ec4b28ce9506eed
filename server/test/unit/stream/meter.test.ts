import { describe, expect, it } from 'vitest'
import { Meter } from '#server/stream/conversation/meter.js'

describe('the meter', () => {
  it.each([
    [0, { audioMs: 0, billableMs: 0, remainingMs: 3000 }],
    [1, { audioMs: 0, billableMs: 1000, remainingMs: 2999 }],
    [16_000, { audioMs: 1000, billableMs: 1000, remainingMs: 2000 }],
    [16_001, { audioMs: 1000, billableMs: 2000, remainingMs: 1999 }],
    [48_000, { audioMs: 3000, billableMs: 3000, remainingMs: 0 }],
  ])('reads %i samples of a 3 s reservation as %o', (samples, reading) => {
    const meter = new Meter(3000)
    meter.count(samples)
    expect(meter.read()).toEqual(reading)
    expect(meter.acceptedSamples).toBe(samples)
    expect(meter.roomSamples).toBe(48_000 - samples)
  })

  it('grows with its reservation', () => {
    const meter = new Meter(3000)
    meter.count(16_000)
    meter.extend(2000)
    expect(meter.reservedMs).toBe(5000)
    expect(meter.read()).toEqual({ audioMs: 1000, billableMs: 1000, remainingMs: 4000 })
  })
})
