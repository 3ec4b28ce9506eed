import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { tinyModelsDir } from '../support/tiny-models.ts'

const SCRIPT = fileURLToPath(new URL('../../../scripts/quickstart.mjs', import.meta.url))
const KEY = /svc_live_v1_\w+/

/** Two seconds of a tone, 16 kHz, 16 bits, mono. */
function toneAsWav(): Buffer {
  const samples = Int16Array.from({ length: 32_000 }, (_, index) => 8000 * Math.sin(index / 8))
  const head = Buffer.alloc(44)
  head.write('RIFF____WAVEfmt ')
  head.writeUInt32LE(36 + samples.byteLength, 4)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(16_000, 24)
  head.writeUInt32LE(32_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([head, Buffer.from(samples.buffer)])
}

it('makes an account, shows its key once and transcribes a recording, and can be run again', async () => {
  const store = await createTestDatabase('embedded')
  const models = tinyModelsDir()
  mkdirSync(join(models.modelsDir, 'samples'))
  writeFileSync(join(models.modelsDir, 'samples/kikuyu.wav'), toneAsWav())
  const env = {
    ...store.env,
    SAUTI_MODELS_DIR: models.modelsDir,
    SAUTI_PORT: '0',
    SAUTI_RECOGNISER_WORKERS: '1',
  }
  const run = () =>
    execFileSync(process.execPath, [SCRIPT, '--once', '--prepared'], {
      env: { PATH: process.env.PATH, HOME: store.env.SAUTI_DATA_DIR, ...env },
      encoding: 'utf8',
    })
  const first = run()
  expect(first).toMatch(KEY)
  expect(first).toMatch(/https:\/\/127\.0\.0\.1:\d+\/welcome#[\w-]{43}/)
  expect(first).toMatch(/Docs +https:\/\/127\.0\.0\.1:\d+\/docs/)
  expect(first).toContain('heard')
  const second = run()
  expect(second).not.toMatch(KEY)
  expect(second).not.toContain('/welcome#')
  expect(second).toContain('sauti keys create --account')
  expect(second).toContain('heard')
  models.remove()
  await store.remove()
}, 600_000)
