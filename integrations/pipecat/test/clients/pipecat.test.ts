// Pipecat's real package with our STT service against the real service: Python's own tests, run by a Python that has Pipecat.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startBench } from '../../../../sdk/test/support/bench.ts'
import { isMissing, pathOf } from '../../../../server/test/support/programs.ts'
import { MODELS_DIR, readSamples } from '../../../../server/test/support/recogniser/samples.ts'

const FOLDER = fileURLToPath(new URL('../..', import.meta.url))
const PATIENCE_MS = 300_000

test.skipIf(isMissing('pipecat'))(
  'Pipecat gets frames in both languages, turns, reconnection, keep-alive and refusals',
  async () => {
    const bench = await startBench({ SAUTI_MODELS_DIR: MODELS_DIR })
    const [rich, poor] = [await bench.customer(), await bench.customer({ creditMs: 0 })]
    const clips = ['ki', 'luo'].map(code => {
      const { path, model, text } = readSamples(code)[0]!
      return { path, model, text }
    })
    const child = spawn(pathOf('pipecat'), ['-B', '-m', 'unittest', '-v'], {
      cwd: FOLDER,
      env: {
        ...process.env,
        SAUTI_URL: bench.baseUrl,
        SAUTI_CA: join(bench.service.dataDir, 'tls', 'ca.pem'),
        SAUTI_API_KEY: rich.key,
        SAUTI_TEST_POOR_KEY: poor.key,
        SAUTI_TEST_CLIPS: JSON.stringify(clips),
      },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        output += text
      })
    }
    const [code] = await once(child, 'close')
    await bench.stop()
    expect(output).toMatch(/Ran 7 tests[\s\S]*OK/)
    expect(code).toBe(0)
  },
  PATIENCE_MS,
)
