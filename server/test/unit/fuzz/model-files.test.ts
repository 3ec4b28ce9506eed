// Model packages with damaged files: each is opened, or refused with the name of the file and what is wrong with it.

import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseManifest } from '#server/recogniser/package/manifest.js'
import { openModelPackage, PackageError } from '#server/recogniser/package/model-package.js'
import { parseVocabulary } from '#server/recogniser/package/vocabulary.js'
import { FUZZ_TIMEOUT_MS, fuzz } from '../../support/fuzzing.ts'
import { TINY_MODEL } from '../../support/recogniser/tiny-models.ts'
import { oddValues } from '../../support/schema-values.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sauti-fuzz-'))
  cpSync(TINY_MODEL, folder, { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

const manifest = JSON.parse(readFileSync(join(TINY_MODEL, 'manifest.json'), 'utf8'))

/** All paths into the manifest. */
function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]]
  return [[...path], ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]))]
}

function changed(path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(manifest)
  if (path.length === 0) return value
  const parent = path.slice(0, -1).reduce((inner, name) => inner[name], copy)
  parent[path.at(-1)!] = value
  return copy
}

/** Only a PackageError is a refusal. */
async function open(content: unknown): Promise<void> {
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(content) ?? '')
  try {
    await openModelPackage(folder)
  } catch (error) {
    expect(error).toBeInstanceOf(PackageError)
    expect((error as PackageError).cause ?? error).not.toBeInstanceOf(TypeError)
    expect((error as PackageError).cause ?? error).not.toBeInstanceOf(RangeError)
  }
}

it(
  'any manifest',
  async () => {
    const path = fc.constantFrom(...pathsOf(manifest))
    await fuzz(
      fc.asyncProperty(path, oddValues, (where, value) => open(changed(where, value))),
      100,
    )
  },
  FUZZ_TIMEOUT_MS,
)

it(
  'any text as manifest or tokens',
  async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json())
    await fuzz(
      fc.property(text, content => {
        for (const parse of [parseManifest, parseVocabulary]) {
          try {
            parse(content)
          } catch (error) {
            expect(error).not.toBeInstanceOf(TypeError)
            expect(error).not.toBeInstanceOf(RangeError)
          }
        }
      }),
    )
  },
  FUZZ_TIMEOUT_MS,
)

/** Bytes of a file that are changed, lost or added. */
function damaged(original: Buffer): fc.Arbitrary<Buffer> {
  const place = fc.nat(original.length - 1)
  return fc.oneof(
    fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 8 }).map(changes => {
      const copy = Buffer.from(original)
      for (const [at, byte] of changes) copy[at] = byte
      return copy
    }),
    // The graph's own description stands at both ends of the file: damage is most likely to be seen there.
    fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 8 }).map(changes => {
      const copy = Buffer.from(original)
      for (const [at, byte] of changes) copy[Math.max(0, original.length - 1 - at)] = byte
      return copy
    }),
    place.map(at => Buffer.from(original.subarray(0, at))),
    fc
      .tuple(place, fc.uint8Array({ maxLength: 40 }))
      .map(([at, extra]) => Buffer.concat([original.subarray(0, at), extra, original.subarray(at)])),
    fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
  )
}

it(
  'damaged networks and tokens, with the right checksum',
  async () => {
    const parts = Object.keys(manifest.files)
    const files = parts.map(
      part => [part, readFileSync(join(TINY_MODEL, manifest.files[part].path))] as const,
    )
    const file = fc
      .constantFrom(...files)
      .chain(([part, original]) => fc.tuple(fc.constant(part), damaged(original)))
    await fuzz(
      fc.asyncProperty(file, async ([part, bytes]) => {
        writeFileSync(join(folder, 'damaged'), bytes)
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        await open(changed(['files', part], { path: 'damaged', sha256 }))
      }),
      100,
    )
  },
  FUZZ_TIMEOUT_MS,
)
