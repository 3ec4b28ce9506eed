import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admit, type HalfSample } from '#server/stream/conversation/gate.js'

const PLENTY = 1_000_000

function bytesOf(samples: readonly number[]): Buffer {
  const bytes = Buffer.alloc(samples.length * 2)
  samples.forEach((sample, index) => void bytes.writeInt16LE(sample, index * 2))
  return bytes
}

/** Sends frames one after another, as a connection does. */
function admitAll(frames: readonly Uint8Array[], room = PLENTY): { samples: number[]; cut: boolean } {
  let half: HalfSample
  const samples: number[] = []
  let cut = false
  for (const frame of frames) {
    const admission = admit(half, frame, room - samples.length)
    half = admission.half
    samples.push(...admission.samples)
    cut ||= admission.cut
  }
  return { samples, cut }
}

describe('the gate', () => {
  it('reads little-endian samples', () => {
    const { samples } = admit(undefined, Buffer.from([0x01, 0x00, 0xff, 0xff, 0x00, 0x80]), PLENTY)
    expect([...samples]).toEqual([1, -1, -32768])
  })

  it('carries an odd byte to the next frame', () => {
    const first = admit(undefined, Buffer.from([0x34]), PLENTY)
    expect(first.samples).toHaveLength(0)
    expect(first.half).toBe(0x34)
    const second = admit(first.half, Buffer.from([0x12, 0x78]), PLENTY)
    expect([...second.samples]).toEqual([0x1234])
    expect(second.half).toBe(0x78)
  })

  it('ignores an empty frame and keeps the odd byte over it', () => {
    expect(admit(0x34, Buffer.alloc(0), PLENTY)).toEqual({
      samples: new Int16Array(0),
      half: 0x34,
      cut: false,
    })
  })

  it('cuts at the exact sample', () => {
    const { samples, cut } = admit(undefined, bytesOf([1, 2, 3, 4]), 3)
    expect([...samples]).toEqual([1, 2, 3])
    expect(cut).toBe(true)
  })

  it('does not call it a cut when everything just fits', () => {
    expect(admit(undefined, bytesOf([1, 2, 3]), 3).cut).toBe(false)
    expect(admit(undefined, Buffer.from([7]), 0).cut).toBe(false)
    expect(admit(7, Buffer.from([7]), 0).cut).toBe(true)
  })

  it('copies out of a buffer that starts at an odd address', () => {
    const network = Buffer.concat([Buffer.from([0xaa]), bytesOf([258, -2, 3])])
    const frame = new Uint8Array(network.buffer, network.byteOffset + 1, 6)
    const { samples } = admit(undefined, frame, PLENTY)
    network.fill(0)
    expect([...samples]).toEqual([258, -2, 3])
  })

  it('reads a frame where it lies when it starts at an even address, without a copy', () => {
    const network = new Uint8Array(8)
    const frame = network.subarray(2, 6)
    const { samples } = admit(undefined, frame, PLENTY)
    expect(samples.buffer).toBe(network.buffer)
    expect(samples.byteOffset).toBe(2)
  })

  it('gives the same samples however the bytes are split into frames', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -32768, max: 32767 }), { maxLength: 300 }),
        fc.array(fc.nat(600), { maxLength: 20 }),
        fc.nat(300),
        (sent, cuts, room) => {
          const bytes = bytesOf(sent)
          const points = [0, ...cuts.map(cut => Math.min(cut, bytes.length)), bytes.length].sort(
            (a, b) => a - b,
          )
          const frames = points.slice(1).map((end, index) => bytes.subarray(points[index], end))
          const { samples, cut } = admitAll(frames, room)
          expect(samples).toEqual(sent.slice(0, room))
          expect(cut).toBe(sent.length > room)
        },
      ),
    )
  })
})
