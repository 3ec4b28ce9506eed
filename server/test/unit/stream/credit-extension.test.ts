// More credit for an open stream: asked for before the last of it is used, and asked for again where there was none.

import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { expect, it, vi } from 'vitest'
import { CreditExtension } from '#server/stream/connection/credit-extension.js'
import { Meter } from '#server/stream/conversation/meter.js'

const SECOND = 1_000 * SAMPLES_PER_MS

function start(gains: (number | Error)[]) {
  const meter = new Meter(60_000)
  const onDone = vi.fn()
  const onError = vi.fn()
  const extend = vi.fn(async () => {
    const gained = gains.shift()!
    if (gained instanceof Error) throw gained
    return gained
  })
  const extension = new CreditExtension({ meter, extend, onDone, onError })
  return { meter, extension, extend, onDone, onError }
}

it('asks once when less than half a minute is left', async () => {
  const { meter, extension, extend, onDone } = start([60_000])
  meter.count(30 * SECOND)
  extension.startIfLow()
  expect(extend).not.toHaveBeenCalled()
  meter.count(1)
  extension.startIfLow()
  extension.startIfLow()
  expect(extension.isUnderWay).toBe(true)
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledTimes(1))
  expect(extend).toHaveBeenCalledTimes(1)
  expect(extension.isUnderWay).toBe(false)
  expect(meter.reservedMs).toBe(120_000)
})

it('lets the client wait only while it asks and little is left', async () => {
  const { meter, extension, onDone } = start([60_000])
  meter.count(31 * SECOND)
  extension.startIfLow()
  expect(extension.mustWait).toBe(false)
  meter.count(5 * SECOND)
  expect(extension.mustWait).toBe(true)
  await vi.waitFor(() => expect(onDone).toHaveBeenCalled())
  expect(extension.mustWait).toBe(false)
})

it('asks again where there was no more, because credit may have come back meanwhile', async () => {
  const { meter, extension, extend, onDone } = start([0, 60_000])
  meter.count(40 * SECOND)
  extension.startIfLow()
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledTimes(1))
  extension.startIfLow()
  // Not with every frame.
  expect(extend).toHaveBeenCalledTimes(1)
  expect(extension.mustWait).toBe(false)
  const askedAgain = () => {
    extension.startIfLow()
    expect(onDone).toHaveBeenCalledTimes(2)
  }
  await vi.waitFor(askedAgain, { timeout: 30_000, interval: 100 })
  expect(meter.reservedMs).toBe(120_000)
})

it('asks again after a failure, and the client waits', async () => {
  const { meter, extension, onDone, onError } = start([new Error('database away'), 60_000])
  meter.count(40 * SECOND)
  extension.startIfLow()
  await vi.waitFor(() => expect(onError).toHaveBeenCalled())
  expect(extension.mustWait).toBe(true)
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledTimes(1), { timeout: 20_000 })
  extension.startIfLow()
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledTimes(2), { timeout: 20_000 })
  expect(meter.reservedMs).toBe(120_000)
})
