// Opus packets: how long they last by their first bytes, and what becomes of good, damaged and hostile ones in the decoder's thread.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createOpusDecoders, type OpusDecoders, type OpusHooks } from '#server/stream/audio/opus-decoders.js'
import { opusPacketSamples } from '#server/stream/audio/opus-packet.js'
import { isMissing, pathOf } from '../../support/programs.ts'
import { readOpusPackets, takeOpusPackets } from '../../support/recogniser/opus.ts'
import { readSamples } from '../../support/recogniser/samples.ts'

type Decoded = Int16Array | undefined

let decoders: OpusDecoders | undefined
afterEach(() => decoders?.close())

/** Decodes packets on a stream of its own, in order. */
function decodeAll(packets: readonly Uint8Array[]): Promise<Decoded[]> {
  return new Promise((resolve, reject) => {
    const answers: Decoded[] = []
    const stream = decoders!.open({
      onDecoded(samples) {
        answers.push(samples)
        if (answers.length < packets.length) return
        stream.close()
        resolve(answers)
      },
      onLost: reject,
    })
    for (const packet of packets) stream.push(packet)
  })
}

function fresh(hooks?: OpusHooks): void {
  decoders = createOpusDecoders(hooks)
}

describe('the length of a packet', () => {
  it.each([
    ['SILK, 10 ms', [0x00], 160],
    ['SILK, 60 ms', [0x18], 960],
    ['SILK, two of 60 ms', [0x19, 1], 1_920],
    ['hybrid, 20 ms', [0x68], 320],
    ['CELT, 2.5 ms', [0x80], 40],
    ['CELT, 20 ms, stereo', [0xfc], 320],
    ['six of 20 ms', [0xfb, 6], 1_920],
    ['forty-eight of 2.5 ms', [0x83, 48], 1_920],
  ])('%s', (_, bytes, samples) => {
    expect(opusPacketSamples(Uint8Array.from(bytes))).toBe(samples)
  })

  it.each([
    ['more than 120 ms', [0xfb, 7], 'not an Opus packet'],
    ['no frame at all', [0xfb, 0], 'not an Opus packet'],
    ['a page of an Ogg file', Buffer.from('OggS and more'), 'a file in Ogg'],
    ['the head of a WebM file', [0x1a, 0x45, 0xdf, 0xa3], 'a file in WebM'],
    ['too many bytes', Buffer.alloc(3_841, 0xf8), 'at most 3840 bytes'],
  ])('%s is refused', (_, bytes, words) => {
    expect(() => opusPacketSamples(Uint8Array.from(bytes))).toThrowError(
      expect.objectContaining({ code: 'undecodable_audio', message: expect.stringContaining(words) }),
    )
  })
})

describe('decoding', () => {
  it('gives speech the samples that its packets last', async () => {
    fresh()
    const packets = readOpusPackets('kikuyu-1')
    const answers = await decodeAll(packets)
    expect(answers.map(samples => samples?.length)).toEqual(packets.map(opusPacketSamples))
    const loudest = Math.max(...answers.flatMap(samples => [...samples!].map(Math.abs)))
    expect(loudest).toBeGreaterThan(3_000)
  })

  it('fills the time of a packet that was lost: only its first byte is sent', async () => {
    fresh()
    const packets = readOpusPackets('kikuyu-1').map((packet, n) =>
      n === 40 ? packet.subarray(0, 1) : packet,
    )
    const answers = await decodeAll(packets)
    expect(answers[40]).toHaveLength(320)
  })

  it('keeps streams apart', async () => {
    fresh()
    const [ki, luo] = [readOpusPackets('kikuyu-1'), readOpusPackets('dholuo-1')]
    const alone = [await decodeAll(ki), await decodeAll(luo)]
    expect(await Promise.all([decodeAll(ki), decodeAll(luo)])).toEqual(alone)
  })

  it.skipIf(isMissing('ffmpeg'))('takes every length of packet, mono and stereo', async () => {
    fresh()
    const folder = await mkdtemp(join(tmpdir(), 'sauti-opus-'))
    const { path, pcm } = readSamples('luo')[0]!
    const files = [2.5, 5, 10, 20, 40, 60, 80, 100, 120].flatMap(ms =>
      [1, 2].map(channels => ({ ms, channels, file: join(folder, `${ms}-${channels}.opus`) })),
    )
    const outputs = files.map(({ ms, channels, file }) => {
      return ['-c:a', 'libopus', '-frame_duration', String(ms), '-ac', String(channels), file]
    })
    execFileSync(pathOf('ffmpeg'), ['-v', 'error', '-i', path, ...outputs.flat()])
    for (const { ms, file } of files) {
      const answers = await decodeAll(takeOpusPackets(readFileSync(file)))
      expect(answers.every(samples => samples?.length === ms * 16)).toBe(true)
      // The last packet is filled up, and the encoder looks 6.5 ms ahead.
      expect(Math.abs(answers.length * ms - pcm.length / 16)).toBeLessThanOrEqual(2 * ms + 7)
    }
    await rm(folder, { recursive: true })
  })
})

describe('hostile packets', () => {
  it('never end the thread: each is decoded to its length or refused', async () => {
    fresh()
    const good = readOpusPackets('kikuyu-1').slice(0, 20)
    const damaged = fc
      .tuple(fc.nat(good.length - 1), fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 20 }))
      .map(([index, changes]) => {
        const packet = Uint8Array.from(good[index]!)
        for (const [at, value] of changes) packet[at % packet.length] = value
        return packet
      })
    const packet = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 1_500 }), damaged)
    await fc.assert(
      fc.asyncProperty(fc.array(packet, { minLength: 1, maxLength: 30 }), async packets => {
        const taken = packets.filter(isTaken)
        if (taken.length === 0) return
        const answers = await decodeAll([...taken, ...good])
        answers.forEach((samples, n) => {
          const expected = opusPacketSamples([...taken, ...good][n]!)
          if (samples) expect(samples).toHaveLength(expected)
          else expect(n).toBeLessThan(taken.length)
        })
      }),
      { numRuns: 200 },
    )
  })

  it('takes no more memory to the thread than the packet has, however much the socket had read', async () => {
    const weighing = `const { parentPort } = require('node:worker_threads')
      parentPort.on('message', ({ type, stream, bytes }) => {
        if (type === 'packet') parentPort.postMessage({ stream, samples: Int16Array.of(bytes.buffer.byteLength) })
      })`
    fresh({ start: () => new Worker(weighing, { eval: true }) })
    const read = Buffer.alloc(20_000)
    expect(await decodeAll([read.subarray(100, 160), read.subarray(160, 200)])).toEqual([
      Int16Array.of(60),
      Int16Array.of(40),
    ])
  })

  it('cannot hang it forever: its streams get an error, and the next stream has a new thread', async () => {
    const spinning = new URL('../../support/faults/spinning-thread.mjs', import.meta.url)
    let started = 0
    const start = () => {
      started += 1
      return new Worker(spinning)
    }
    fresh({ start, maxStallMs: 200 })
    const packets = readOpusPackets('kikuyu-1').slice(0, 2)
    await expect(decodeAll(packets)).rejects.toMatchObject({ code: 'engine_unavailable' })
    await expect(decodeAll(packets)).rejects.toMatchObject({ code: 'engine_unavailable' })
    expect(started).toBe(2)
  })
})

function isTaken(packet: Uint8Array): boolean {
  try {
    return opusPacketSamples(packet) > 0
  } catch {
    return false
  }
}
