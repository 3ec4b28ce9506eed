// A decoder: a process of its own for each file, because files come from strangers. It reads the file from its standard input, writes the
// audio of the wire to its standard output, and can be ended at any moment without harm to anybody else.

import { once } from 'node:events'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { floatToPcm16, mixToMono, type Resampler } from '@sauti/client/speech'
import { createResampler } from '../sound/resample.ts'
import type { Decoded } from './codec-types.ts'
import type { DecodingFailed } from './decoder-messages.ts'
import { readSound, SoundError } from './sound.ts'

const [MIN_RATE_HZ, MAX_RATE_HZ] = [4_000, 192_000]

process.on('disconnect', () => process.exit())
endWithParent()
// Warnings of libraries about a stranger's file are of no use to anybody.
process.removeAllListeners('warning')
void run()

/** From a thread of its own: a file may keep this one busy for ever, and it would not notice that the service has ended. */
function endWithParent(): void {
  const watch = `const parent = process.ppid
    setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 1000)`
  new Worker(watch, { eval: true, stdin: false }).unref()
}

async function run(): Promise<void> {
  try {
    const bytes = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
    if (!(await writeSound(bytes))) throw new SoundError('undecodable_audio')
    process.stdout.end()
    await once(process.stdout, 'finish')
    process.disconnect()
  } catch (error) {
    const failed: DecodingFailed =
      error instanceof SoundError
        ? { type: 'failed', problem: error.problem, ...(error.message ? { message: error.message } : {}) }
        : { type: 'failed', problem: 'undecodable_audio' }
    process.send?.(failed, () => process.exit())
  }
}

/** False where there was none. */
async function writeSound(bytes: ReadableStream<Uint8Array>): Promise<boolean> {
  let [rate, resampler]: [number, Resampler | undefined] = [0, undefined]
  let written = 0
  const write = async (samples: Float32Array) => {
    const pcm = floatToPcm16(samples)
    written += pcm.length
    if (pcm.length > 0 && !process.stdout.write(new Uint8Array(pcm.buffer)))
      await once(process.stdout, 'drain')
  }
  for await (const decoded of readSound(bytes)) {
    if (isEmpty(decoded)) continue
    if (decoded.sampleRate !== rate) {
      if (resampler) await write(resampler.flush())
      rate = checkRate(decoded.sampleRate)
      resampler = createResampler(rate)
    }
    await write(resampler!.push(mixToMono(decoded.channelData)))
  }
  if (resampler) await write(resampler.flush())
  return written > 0
}

function isEmpty({ channelData }: Decoded): boolean {
  return channelData.length === 0 || channelData[0]!.length === 0
}

function checkRate(rateHz: number): number {
  if (rateHz >= MIN_RATE_HZ && rateHz <= MAX_RATE_HZ) return rateHz
  throw new SoundError('undecodable_audio', 'The file has an invalid sample rate.')
}
