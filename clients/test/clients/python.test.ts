// The Python client's own tests, run by Python against a service that is started here.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, startBench } from '../../../sdk/test/support/bench.ts'
import { CLIP, REAL_MODELS } from '../../../sdk/test/support/clip.ts'

// Debian's own Python has Debian's packages; another that stands before it on the path may not.
const PYTHON = process.env.SAUTI_TEST_PYTHON ?? '/usr/bin/python3'
const FOLDER = fileURLToPath(new URL('../../python', import.meta.url))

let bench: Bench
beforeAll(async () => {
  bench = await startBench(REAL_MODELS)
})
afterAll(() => bench.stop())

async function run(args: readonly string[], env: Record<string, string>) {
  const child = spawn(PYTHON, ['-B', ...args], { cwd: FOLDER, env: { PATH: process.env.PATH, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

test('the Python client does what its README says, and tells every refusal', async () => {
  const [rich, poor] = [await bench.customer(), await bench.customer({ creditMs: 0 })]
  const env = {
    SAUTI_URL: bench.baseUrl,
    SAUTI_CA: join(bench.service.dataDir, 'tls', 'ca.pem'),
    SAUTI_API_KEY: rich.key,
  }
  const { code, output: text } = await run(['sauti.py', CLIP.model, CLIP.path], env)
  expect({ code, text }).toMatchObject({ code: 0 })
  CLIP.expectText(text.trim())
  const tests = await run(['-m', 'unittest', '-v'], {
    ...env,
    SAUTI_TEST_POOR_KEY: poor.key,
    SAUTI_TEST_MODEL: CLIP.model,
    SAUTI_TEST_CLIP: CLIP.path,
    SAUTI_TEST_TEXT: text.trim(),
  })
  expect(tests).toMatchObject({ code: 0, output: expect.stringMatching(/Ran 6 tests/) })
})
