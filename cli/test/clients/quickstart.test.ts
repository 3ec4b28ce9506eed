import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeSpeech, makeWav } from '../../../sdk/test/support/sounds.ts'
import { createTestDatabase } from '../../../server/test/support/database/database.ts'
import { tinyModelsDir } from '../../../server/test/support/recogniser/tiny-models.ts'
import { runSauti } from '../support/run-sauti.ts'

const KEY = /svc_live_v1_\w+/

function writeSample(modelsDir: string): void {
  const folder = join(modelsDir, 'samples')
  mkdirSync(folder)
  const samples = Array.from(makeSpeech([500, -500, 1000]), sample => sample / 32_768)
  const wav = makeWav(samples, { tag: 1, bits: 16, channels: 1, rateHz: 16_000 })
  writeFileSync(join(folder, 'kikuyu-1.wav'), wav)
  const list = 'file\tlanguage_code\tvoice\ttext\nkikuyu-1.wav\tki\tnobody\tmaũndũ\n'
  writeFileSync(join(folder, 'transcripts.tsv'), list)
}

it('makes an account, shows its key once and transcribes a recording, and can be run again', async () => {
  const store = await createTestDatabase('embedded')
  const models = tinyModelsDir()
  writeSample(models.modelsDir)
  const env = {
    ...store.env,
    SAUTI_MODELS_DIR: models.modelsDir,
    SAUTI_PORT: '0',
    SAUTI_RECOGNISER_WORKERS: '1',
  }
  const first = await runSauti(['quickstart', '--once'], { env })
  expect(first).toMatchObject({ code: 0, out: expect.stringMatching(KEY) })
  expect(first.out).toMatch(/https:\/\/127\.0\.0\.1:\d+\/welcome#[\w-]{43}/)
  expect(first.out).toMatch(/Docs +https:\/\/127\.0\.0\.1:\d+\/docs/)
  expect(first.out).toMatch(/heard .*\n +spoken +maũndũ/)
  const second = await runSauti(['quickstart', '--once'], { env })
  expect(second).toMatchObject({ code: 0, out: expect.not.stringMatching(KEY) })
  expect(second.out).not.toContain('/welcome#')
  expect(second.out).toContain('sauti keys create --account')
  expect(second.out).toMatch(/heard .*\n +spoken +maũndũ/)
  models.remove()
  await store.remove()
}, 600_000)

it('says which recordings it lacks', async () => {
  const models = tinyModelsDir()
  const answer = await runSauti(['quickstart', '--once'], { env: { SAUTI_MODELS_DIR: models.modelsDir } })
  expect(answer).toMatchObject({ code: 1, err: expect.stringContaining('there is no recording in') })
  models.remove()
})
