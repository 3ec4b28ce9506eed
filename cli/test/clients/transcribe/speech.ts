// sauti transcribe against the real service. The tiny model says nonsense, but always the same nonsense for the same
// utterance: so two ways that must give the same text are compared with each other.

import { writeFileSync } from 'node:fs'
import { type Bench, startBench } from '../../../../sdk/test/support/bench.ts'
import { makeSpeech, makeWav } from '../../../../sdk/test/support/sounds.ts'
import { makeFolder, type RunOptions, runSauti } from '../../support/run-sauti.ts'

/** Twelve sentences of about three seconds with pauses between them. */
const PARTS_MS = Array.from({ length: 12 }, (_, n) => [
  400,
  -60,
  700,
  -80,
  500 + n * 40,
  -60,
  900,
  -700,
]).flat()
export const SPEECH = makeSpeech(PARTS_MS, 20)
export const SPEECH_MS = SPEECH.length / 16
export const plain = { tag: 1, bits: 16, channels: 1, rateHz: 16_000 } as const

/** A service, a folder of its own with a file of speech in it, and accounts whose command transcribes. */
export function prepareSpeech() {
  let bench: Bench
  const { path, folder, remove } = makeFolder()
  const wav = path('speech.wav')

  async function start(): Promise<void> {
    bench = await startBench()
    const samples = Array.from(SPEECH, sample => sample / 32_768)
    writeFileSync(wav, makeWav(samples, plain))
    writeFileSync(path('ca.pem'), bench.service.ca)
  }

  async function stop(): Promise<void> {
    await bench.stop()
    remove()
  }

  async function account(options: Parameters<Bench['customer']>[0] = {}) {
    const { key } = await bench.customer(options)
    const env = { SAUTI_URL: bench.baseUrl, SAUTI_API_KEY: key, SAUTI_CA: path('ca.pem') }
    const run = (args: string[], more: RunOptions = {}) =>
      runSauti(['transcribe', '--model', 'kikuyu', ...args], { ...more, env: { ...env, ...more.env } })
    const sessions = async () => (await bench.directClient(key).usage()).recent_sessions
    return { key, env, run, sessions }
  }

  /** What the file says when nothing goes wrong; found out once. */
  let expected: Promise<string> | undefined
  function expectedText(): Promise<string> {
    expected ??= account().then(async ({ run }) => (await run(['--session-seconds', '20', wav])).out)
    return expected
  }

  return {
    path,
    folder,
    wav,
    start,
    stop,
    account,
    expectedText,
    network: (): Bench['network'] => bench.network,
  }
}
