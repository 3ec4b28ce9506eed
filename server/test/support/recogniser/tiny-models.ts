// Both models of the interface, made from the fixture with random weights: small and quick. Only the text is meaningless.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MODELS } from '@sauti/protocol/models'

export const TINY_MODEL = fileURLToPath(new URL('../../fixtures/tiny-model', import.meta.url))

/** A models folder in a temporary place, and how to remove it. */
export function tinyModelsDir(): { modelsDir: string; remove(): void } {
  const modelsDir = mkdtempSync(join(tmpdir(), 'sauti-models-'))
  const manifest = JSON.parse(readFileSync(join(TINY_MODEL, 'manifest.json'), 'utf8'))
  for (const { id, language, languageCode } of MODELS) {
    const folder = join(modelsDir, id)
    mkdirSync(folder)
    const files = Object.entries<{ path: string }>(manifest.files).map(([part, file]) => [
      part,
      { ...file, path: relative(folder, join(TINY_MODEL, file.path)) },
    ])
    const changes = { id, language, language_code: languageCode, files: Object.fromEntries(files) }
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, ...changes }))
  }
  return { modelsDir, remove: () => rmSync(modelsDir, { recursive: true, force: true }) }
}
