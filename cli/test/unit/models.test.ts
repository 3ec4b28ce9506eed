import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SAUTI = fileURLToPath(new URL('../../bin/sauti.js', import.meta.url))
const EXPORT = fileURLToPath(new URL('../../../server/test/fixtures/prompted-export', import.meta.url))

let modelsDir: string
beforeEach(() => {
  modelsDir = mkdtempSync(join(tmpdir(), 'sauti-cli-models-'))
})
afterEach(() => rmSync(modelsDir, { recursive: true }))

function sauti(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, SAUTI_MODELS_DIR: modelsDir }
  return new Promise(resolve => {
    const child = execFile(process.execPath, [SAUTI, ...args], { env }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}

describe('sauti models', () => {
  it('imports a public export, and lists what is there and what is missing', async () => {
    const imported = await sauti('models', 'import', EXPORT, '--as', 'svc-asr-dholuo-v1', '--json')
    expect(imported).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(imported.out)).toMatchObject({
      model: 'svc-asr-dholuo-v1',
      manifest: { prompt_index: 18 },
    })
    const listed = await sauti('models', 'list')
    expect(listed.code).toBe(1)
    expect(listed.out).toMatch(/svc-asr-dholuo-v1 +1\.0\.0 +whole/)
    expect(listed.out).toMatch(/svc-asr-kikuyu-v1 +- +missing/)
  })

  it('describes what was imported; an encoder can have more layers than caches', async () => {
    const { out } = await sauti('models', 'import', EXPORT, '--as', 'svc-asr-dholuo-v1')
    expect(out).toMatch(/^\d+ caches of 56 frames of width \d+, /m)
    expect(out).not.toContain('layers')
  })

  it('says what is wrong with an export, and how it was called wrongly', async () => {
    expect(await sauti('models', 'import', modelsDir, '--as', 'svc-asr-dholuo-v1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('encoder.onnx: the file is missing'),
    })
    expect(await sauti('models', 'import', EXPORT, '--as', 'whisper')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--as must be one of'),
    })
  })
})
