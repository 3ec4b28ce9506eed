import fc from 'fast-check'
import { expect, test } from 'vitest'
import { floatToPcm16, mixToMono, pcmBytes } from '#sdk/audio/pcm.js'

test('every 16-bit value survives the way through floats', () => {
  const all = Int16Array.from({ length: 65_536 }, (_, n) => n - 32_768)
  expect(floatToPcm16(Float32Array.from(all, value => value / 32_768))).toEqual(all)
})

test('what is too loud is clipped, never wrapped', () => {
  expect([...floatToPcm16(Float32Array.of(1, 1.5, -1, -7))]).toEqual([32_767, 32_767, -32_768, -32_768])
})

test('bytes are a copy in little-endian order, from any kind of buffer', () => {
  fc.assert(
    fc.property(fc.int16Array(), samples => {
      const bytes = pcmBytes(samples)
      const view = new DataView(bytes.buffer)
      expect(Array.from({ length: samples.length }, (_, n) => view.getInt16(n * 2, true))).toEqual([
        ...samples,
      ])
    }),
  )
  const source = Uint8Array.of(9, 1, 2, 3)
  const copy = pcmBytes(source.subarray(1, 3))
  source.fill(0)
  expect([...copy]).toEqual([1, 2])
  expect([...pcmBytes(Uint8Array.of(5, 6).buffer)]).toEqual([5, 6])
})

test('channels are mixed by their mean', () => {
  const mono = mixToMono([Float32Array.of(1, 0), Float32Array.of(0, 0.5), Float32Array.of(-0.25, 0.25)])
  expect([...mono]).toEqual([0.25, 0.25])
  expect(mixToMono([])).toEqual(new Float32Array(0))
})
