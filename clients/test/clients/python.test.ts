// The Python client's own tests, run by Python against a service that is started here.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFolder } from '../../../cli/test/support/run-sauti.ts'
import { type Bench, startBench } from '../../../sdk/test/support/bench.ts'
import { CLIP, REAL_MODELS } from '../../../sdk/test/support/clip.ts'
import { makeRecording } from '../../../sdk/test/support/recording.ts'
import { makeWav } from '../../../sdk/test/support/sounds.ts'
import { isMissing, pathOf } from '../../../server/test/support/programs.ts'

const testPython = test.skipIf(isMissing('python'))
/** `npm run seams` asks for 10 minutes and 50 cuts; the check has time for less. */
const MINUTES = Number(process.env.SAUTI_SEAM_MINUTES ?? 0.7)
const CUTS = Number(process.env.SAUTI_SEAM_CUTS ?? 5)
const TIMEOUT_MS = 120_000 + 2 * MINUTES * 60_000
const FOLDER = fileURLToPath(new URL('../../python', import.meta.url))

let bench: Bench
beforeAll(async () => {
  bench = await startBench({ ...REAL_MODELS, SAUTI_SESSION_CREATIONS_PER_MINUTE: '600' })
})
afterAll(() => bench.stop())

async function run(args: readonly string[], env: Record<string, string>) {
  const child = spawn(pathOf('python'), ['-B', ...args], {
    cwd: FOLDER,
    env: { PATH: process.env.PATH, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

testPython('the Python client does what its README says, and tells every refusal', async () => {
  const [rich, poor] = [await bench.customer(), await bench.customer({ creditMs: 0 })]
  const env = {
    SAUTI_URL: bench.baseUrl,
    SAUTI_CA: join(bench.service.dataDir, 'tls', 'ca.pem'),
    SAUTI_API_KEY: rich.key,
  }
  const { code, output: text } = await run(['-m', 'sauti', CLIP.model, CLIP.path], env)
  expect({ code, text }).toMatchObject({ code: 0 })
  CLIP.expectText(text.trim())
  const tests = await run(['-m', 'unittest', '-v'], {
    ...env,
    SAUTI_TEST_POOR_KEY: poor.key,
    SAUTI_TEST_MODEL: CLIP.model,
    SAUTI_TEST_CLIP: CLIP.path,
    SAUTI_TEST_TEXT: text.trim(),
  })
  expect(tests.output).toMatch(/Ran 12 tests[\s\S]*OK/)
  expect(tests.code).toBe(0)
})

const SEAMS = 'a recording whose connections are cut has the text of one whose are not'
testPython(SEAMS, { timeout: TIMEOUT_MS }, async () => {
  const { key } = await bench.customer()
  const folder = makeFolder()
  const recording = makeRecording('ki', MINUTES)
  const samples = Array.from(recording.pcm, sample => sample / 32_768)
  writeFileSync(folder.path('talk.wav'), makeWav(samples, { tag: 1, bits: 16, channels: 1, rateHz: 16_000 }))
  const env = {
    SAUTI_URL: bench.baseUrl,
    SAUTI_CA: join(bench.service.dataDir, 'tls', 'ca.pem'),
    SAUTI_API_KEY: key,
  }
  const transcribe = () => run(['-m', 'sauti', 'svc-asr-kikuyu-v1', folder.path('talk.wav')], env)
  const whole = await transcribe()
  expect(whole).toMatchObject({ code: 0, output: expect.stringMatching(/\w+ \w+/) })
  // By the bytes that have passed, not by the clock: on a busy machine a cut every moment would let no session begin at all.
  const cutLater = () => {
    bench.network.cutAfterBytes = (Math.random() * recording.pcm.byteLength) / CUTS
  }
  let cuts = 0
  cutLater()
  const cutting = setInterval(() => {
    if (Number.isFinite(bench.network.cutAfterBytes)) return
    cuts += 1
    if (cuts < CUTS) cutLater()
    else clearInterval(cutting)
  }, 10)
  const broken = await transcribe()
  clearInterval(cutting)
  folder.remove()
  expect({ code: broken.code, cuts }).toEqual({ code: 0, cuts: CUTS })
  // Whether it says above the text what it waited for depends on how many cuts came in a row: short waits are not told.
  expect(broken.output.endsWith(whole.output)).toBe(true)
})
