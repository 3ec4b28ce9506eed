import { execFileSync, fork, spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { decode } from '#server/files/decoder-process.js'
import { isMissing, pathOf } from '../../support/programs.ts'
import { readSamples } from '../../support/recogniser/samples.ts'

const worker = fileURLToPath(import.meta.resolve('#server/files/decoder-worker.js'))
const spinning = fileURLToPath(new URL('../../support/faults/spinning-decoder.mjs', import.meta.url))

async function* file(pieces = 1) {
  for (let n = 0; n < pieces; n++) yield new Uint8Array(100_000)
}

async function drain(sound: AsyncIterable<Int16Array>): Promise<number> {
  let samples = 0
  for await (const piece of sound) samples += piece.length
  return samples
}

test('a decoder that never finishes is ended, and the file is refused', async () => {
  const children: ReturnType<typeof fork>[] = []
  const start = () => {
    const child = fork(spinning, { stdio: ['pipe', 'pipe', 'ignore', 'ipc'] })
    children.push(child)
    return child
  }
  const sound = decode(file(), new AbortController().signal, { start, maxStallMs: 1_000 })
  await expect(drain(sound)).rejects.toMatchObject({ code: 'undecodable_audio' })
  expect(children[0]!.signalCode).toBe('SIGKILL')
})

test.skipIf(isMissing('ffmpeg'))('AAC without its decoder is refused with what to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sauti-aac-'))
  const m4a = join(folder, 'talk.m4a')
  execFileSync(pathOf('ffmpeg'), ['-v', 'error', '-i', readSamples('ki')[0]!.path, m4a])
  const start = () =>
    fork(worker, {
      stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
      execArgv: [`--import=${new URL('../../support/faults/without-aac.mjs', import.meta.url)}`],
    })
  const sound = decode(createReadStream(m4a), new AbortController().signal, { start })
  await expect(drain(sound)).rejects.toMatchObject({
    code: 'unsupported_audio',
    message: expect.stringMatching(/no decoder for AAC .* ask its operator to install @audio\/decode-aac/),
  })
  await rm(folder, { recursive: true })
})

test('a slow listener keeps its decoder', async () => {
  // What it decodes does not matter here, and this one is there at once also where processes start slowly.
  const start = () => spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] })
  // More than fits into the pipes, so that it has to wait for its listener.
  const sound = decode(file(20), new AbortController().signal, { start, maxStallMs: 3_000 })
  let samples = 0
  for await (const piece of sound) {
    if (samples === 0) await new Promise(resolve => setTimeout(resolve, 5_000))
    samples += piece.length
  }
  expect(samples).toBe(1_000_000)
})
