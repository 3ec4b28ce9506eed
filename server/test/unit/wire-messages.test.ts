import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Batch, BatchReader, queryMessage, startupMessage } from '#server/db/wire-messages.js'

function message(type: string, body: string): Buffer {
  const built = queryMessage(body)
  built.write(type)
  return built
}

function int32(...values: number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => {
    buffer.writeInt32BE(value, 4 * index)
  })
  return buffer
}

function readAll(bytes: Buffer, cuts: readonly number[] = []): Batch[] {
  const reader = new BatchReader()
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length]
  return places.slice(1).flatMap((place, index) => reader.read(bytes.subarray(places[index], place)))
}

const startup = startupMessage('postgres', 'postgres')
const sync = message('S', '')
const extended = Buffer.concat(['P', 'B', 'D', 'E'].map(type => message(type, 'x')).concat(sync))

describe('BatchReader', () => {
  it('hands over a whole extended query at once, so that no other connection can come between its parts', () => {
    expect(readAll(Buffer.concat([startup, extended]))).toEqual([
      { type: 'startup' },
      { type: 'messages', messages: extended },
    ])
  })

  it('waits for the rest of an unfinished batch', () => {
    expect(readAll(Buffer.concat([startup, message('P', 'x')]))).toEqual([{ type: 'startup' }])
  })

  it('cuts the same batches out of the bytes however the network cut them', () => {
    const bytes = Buffer.concat([
      int32(8, 80_877_103),
      startup,
      extended,
      queryMessage('SELECT 1'),
      message('X', ''),
    ])
    const whole = readAll(bytes)
    expect(whole.map(({ type }) => type)).toEqual([
      'refuse-encryption',
      'startup',
      'messages',
      'messages',
      'end',
    ])
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length })), cuts => {
        expect(readAll(bytes, cuts)).toEqual(whole)
      }),
    )
  })

  it.each([
    ['a cancel request', int32(16, 80_877_102, 1, 1), 'end'],
    ['an old protocol', int32(8, 131_072), 'malformed'],
    ['a huge startup packet', int32(1_000_000, 196_608), 'malformed'],
    ['a negative length', Buffer.concat([startup, Buffer.from('Q'), int32(-1)]), 'malformed'],
  ])('ends the connection after %s', (_, bytes, type) => {
    expect(readAll(bytes).at(-1)?.type).toBe(type)
  })

  it('never throws and never says more than once that it is over', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.uint8Array({ maxLength: 200 }), (isStarted, noise) => {
        const batches = readAll(Buffer.concat([isStarted ? startup : Buffer.alloc(0), noise]))
        const endings = batches.filter(({ type }) => type === 'end' || type === 'malformed')
        expect(endings.length).toBeLessThanOrEqual(1)
      }),
    )
  })
})
