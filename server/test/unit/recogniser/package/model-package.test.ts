import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileFacts, sha256Of } from '#server/recogniser/package/file-facts.js'
import type { Extra, Manifest, Part } from '#server/recogniser/package/manifest.js'
import { openModelPackage } from '#server/recogniser/package/model-package.js'
import { describeOnnx } from '#server/recogniser/package/onnx-metadata.js'
import { type WrittenLanguage, writeLanguageModel } from '../../../support/recogniser/written-language.ts'

const BUNDLED = fileURLToPath(new URL('../../../../../models', import.meta.url))
const TINY = fileURLToPath(new URL('../../../fixtures/tiny-model', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sauti-package-'))
  cpSync(TINY, folder, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true }))

function changeManifest(change: (manifest: Manifest) => void): void {
  const path = join(folder, 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  change(manifest)
  writeFileSync(path, JSON.stringify(manifest))
}

/** Puts another file in a part's place, with its true SHA-256, so that only its content is wrong. */
function replacePart(part: Part | Extra, content: Buffer | string): void {
  writeFileSync(join(folder, 'replaced'), content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  changeManifest(manifest => Object.assign(manifest.files, { [part]: { path: 'replaced', sha256 } }))
}

const ONE_PIECE: WrittenLanguage = {
  vocabularySize: 1,
  weights: [1, 0, 0],
  levels: [[{ context: [], next: { 0: 1 }, rest: 1 }], []],
}

describe('a model package', () => {
  it('opens when every file is whole', async () => {
    const opened = await openModelPackage(folder)
    expect(opened.vocabulary.pieces).toContain("ng'")
    expect(opened).toMatchObject({ encodedSize: 64, anyFrames: true, joinsBatches: true })
  })

  it.each<[string, () => void, RegExp]>([
    ['the manifest is missing', () => rmSync(join(folder, 'manifest.json')), /manifest\.json: .*ENOENT/],
    ['the manifest is no JSON', () => writeFileSync(join(folder, 'manifest.json'), '{'), /manifest\.json: /],
    [
      'a size is missing',
      () => changeManifest(m => Reflect.deleteProperty(m.encoder, 'left')),
      /manifest\.json: encoder\.left must be/,
    ],
    [
      'the format is another',
      () => changeManifest(m => Object.assign(m, { format: 2 })),
      /manifest\.json: format must be 1/,
    ],
    [
      'a look-ahead is unknown',
      () => changeManifest(m => Object.assign(m, { look_aheads: [13, 5] })),
      /look_aheads must list/,
    ],
    [
      'the level of speech is no number',
      () => changeManifest(m => Object.assign(m.features, { speech_level_db: '-22' })),
      /features\.speech_level_db must be/,
    ],
    [
      'the level of speech is above full scale',
      () => changeManifest(m => Object.assign(m.features, { speech_level_db: 22 })),
      /features\.speech_level_db must be/,
    ],
    ['a file is missing', () => rmSync(join(folder, 'decoder.onnx')), /decoder\.onnx: the file is missing/],
    [
      'a file is truncated',
      () => truncateSync(join(folder, 'encoder.onnx'), 1000),
      /encoder\.onnx: its SHA-256/,
    ],
    ['a file is no ONNX', () => replacePart('joiner', 'not a graph at all'), /replaced: /],
    [
      'a graph ends too early',
      () => replacePart('encoder', readFileSync(join(TINY, 'encoder.onnx')).subarray(0, 500)),
      /replaced: /,
    ],
    [
      'the joiner stands in for the encoder',
      () => replacePart('encoder', readFileSync(join(TINY, 'joiner.onnx'))),
      /replaced: it has 2 inputs, not 5/,
    ],
    [
      'the sizes are of another model',
      () => changeManifest(m => Object.assign(m.decoder, { hidden: 65 })),
      /decoder\.onnx: input h is \[1, B, 64\]/,
    ],
    [
      'the encoder wants a prompt',
      () => changeManifest(m => Object.assign(m, { prompt_index: m.prompt_index === null ? 0 : null })),
      /encoder\.onnx: it (needs a|takes no) prompt_index/,
    ],
    [
      'the tokens are of another model',
      () => replacePart('tokens', '▁a 0\n<blk> 1\n'),
      /replaced: it has 1 pieces, the manifest 17/,
    ],
    [
      'the tokens are out of order',
      () => replacePart('tokens', '▁a 1\n<blk> 0\n'),
      /replaced: line 1 must be/,
    ],
    [
      'the tokens have no blank',
      () => replacePart('tokens', '▁a 0\n▁b 1\n'),
      /replaced: the last line must be/,
    ],
    [
      'the language model is no such file',
      () => replacePart('language_model', 'a text'.repeat(9)),
      /replaced: it is no language model/,
    ],
    [
      'the language model is of another vocabulary',
      () => replacePart('language_model', writeLanguageModel(ONE_PIECE)),
      /replaced: it knows 1 pieces, the manifest 17/,
    ],
    [
      'what scores frames is of another network',
      () => replacePart('frame_scorer', readFileSync(join(BUNDLED, 'shared-v1', 'frames.onnx'))),
      /replaced: it is not a matrix from \d+ values to 18 symbols/,
    ],
    [
      'what scores frames is more than a matrix',
      () => replacePart('frame_scorer', readFileSync(join(folder, 'joiner.onnx'))),
      /replaced: it is not a matrix from/,
    ],
  ])('says which file is wrong when %s', async (_, breakIt, message) => {
    breakIt()
    await expect(openModelPackage(folder)).rejects.toThrow(message)
    await expect(openModelPackage(folder)).rejects.toThrow(folder)
  })
})

describe('packages that are opened together', () => {
  it('are told about a file that they share after it was read once', async () => {
    const facts = new FileFacts()
    const encoder = join(folder, 'encoder.onnx')
    const hash = createHash('sha256').update(readFileSync(encoder)).digest('hex')
    const described = describeOnnx(encoder)
    expect(facts.sha256(encoder)).toBe(hash)
    expect(facts.graph(encoder)).toEqual(described)
    rmSync(encoder)
    expect(facts.sha256(encoder)).toBe(hash)
    expect(facts.graph(encoder)).toEqual(described)
  })

  it('are each checked against their own manifest', async () => {
    const facts = new FileFacts()
    await openModelPackage(folder, facts)
    changeManifest(m => Object.assign(m.files.encoder, { sha256: '0'.repeat(64) }))
    await expect(openModelPackage(folder, facts)).rejects.toThrow(/encoder\.onnx: its SHA-256/)
  })

  it('are all refused for a shared file that cannot be read', async () => {
    const facts = new FileFacts()
    rmSync(join(folder, 'tokens.txt'))
    mkdirSync(join(folder, 'tokens.txt'))
    await expect(openModelPackage(folder, facts)).rejects.toThrow(/tokens\.txt: EISDIR/)
    await expect(openModelPackage(folder, facts)).rejects.toThrow(/tokens\.txt: EISDIR/)
  })
})

describe('the hash of a file', () => {
  it('is of all its bytes, however many buffers they fill', async () => {
    const path = join(folder, 'large')
    const content = Buffer.alloc(600_001, 'sauti')
    writeFileSync(path, content)
    expect(sha256Of(path)).toBe(createHash('sha256').update(content).digest('hex'))
  })
})

describe('the description of an ONNX file', () => {
  it('tells metadata, shapes and kinds of nodes without the weights', () => {
    const encoder = describeOnnx(join(TINY, 'encoder.onnx'))
    expect(encoder.metadata.get('window_size')).toBe('121')
    expect(encoder.inputs[0]).toEqual({ name: 'audio_signal', shape: ['B', 80, 'T'] })
    expect(encoder.outputs.map(output => output.name)).toContain('encoded')
    expect(encoder.operators).toContain('LayerNormalization')
  })
})
