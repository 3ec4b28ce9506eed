import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEngineProcess } from '#server/recogniser/open-recogniser.js'
import type { Recogniser, RecogniserStream } from '#server/recogniser/port.js'
import { readUntil } from '../../../support/recogniser/event-reader.ts'
import { KIKUYU, openTiny } from '../../../support/recogniser/open-tiny.ts'
import { babble } from '../../../support/recogniser/test-audio.ts'

const PAGE_BYTES = 4096
const MEGABYTE = 2 ** 20

let recogniser: Recogniser
let engine: ChildProcess
beforeAll(async () => {
  recogniser = await openTiny(
    {},
    {
      startProcess: data => {
        engine = startEngineProcess(data)
        return engine
      },
    },
  )
})
afterAll(() => recogniser.close())

const residentBytes = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES

/** Speaks on in one utterance, as fast as the engine hears. */
async function speakOn(stream: RecogniserStream, chunks: number): Promise<void> {
  for (let i = 0; i < chunks; i++) {
    stream.push(babble(17_920, i))
    if (stream.queuedSamples < 20 * 17_920 && i < chunks - 1) continue
    await readUntil(stream, event => event.type === 'progress' && stream.queuedSamples === 0)
  }
}

describe.runIf(existsSync('/proc/self/statm'))('endless audio', () => {
  it('keeps the memory flat, in the engine and in the service', async () => {
    const stream = await recogniser.open(KIKUYU, { lookAhead: 13, phrases: [] })
    await speakOn(stream, 100)
    const before = { engine: residentBytes(engine.pid!), service: process.memoryUsage().heapUsed }
    await speakOn(stream, 600)
    expect(residentBytes(engine.pid!) - before.engine).toBeLessThan(24 * MEGABYTE)
    expect(process.memoryUsage().heapUsed - before.service).toBeLessThan(48 * MEGABYTE)
    stream.close()
  }, 120_000)

  it('gives caches of ended utterances to the next ones', async () => {
    const hear = async () => {
      const stream = await recogniser.open(KIKUYU, { lookAhead: 13, phrases: [] })
      stream.push(babble(2 * 17_920))
      stream.flush()
      await readUntil(stream, event => event.type === 'final')
      stream.close()
    }
    for (let i = 0; i < 30; i++) await hear()
    const before = residentBytes(engine.pid!)
    for (let i = 0; i < 150; i++) await hear()
    expect(residentBytes(engine.pid!) - before).toBeLessThan(24 * MEGABYTE)
  }, 120_000)
})
