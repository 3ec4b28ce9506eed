import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRecogniser } from '#server/recogniser/open-recogniser.js'
import { type ImportOrder, importModel } from '#server/recogniser/package/import-model.js'
import { openModelPackage } from '#server/recogniser/package/model-package.js'
import { finalOf } from '../../../support/recogniser/open-tiny.ts'
import { babble } from '../../../support/recogniser/test-audio.ts'
import { writeLanguageModel } from '../../../support/recogniser/written-language.ts'

const EXPORT = fileURLToPath(new URL('../../../fixtures/prompted-export', import.meta.url))
const TINY = fileURLToPath(new URL('../../../fixtures/tiny-model', import.meta.url))
const DHOLUO = 'svc-asr-dholuo-v1'

let place: string
let from: string
let order: ImportOrder
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'sauti-import-'))
  from = join(place, 'export')
  cpSync(EXPORT, from, { recursive: true })
  order = {
    from,
    model: DHOLUO,
    modelsDir: join(place, 'models'),
    version: '1.0.0',
    licence: 'CC0-1.0',
    sessions: { provider: 'cpu', threads: 1 },
  }
})
afterEach(() => rmSync(place, { recursive: true }))

/** One field of a protobuf message, short enough for a length of one byte. */
function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
}

describe('importing a published export', () => {
  it.each(['../secret.bin', '/etc/hostname', '..', 'a/b.bin'])(
    'reads nothing elsewhere, whatever the export names: %s',
    async location => {
      writeFileSync(join(place, 'secret.bin'), 'not for the package')
      const entry = Buffer.concat([field(1, 'location'), field(2, location)])
      // A graph (7) with an initializer (5) whose data is external (13), as ONNX has it.
      appendFileSync(join(from, 'decoder.int8.onnx'), field(7, field(5, field(13, entry))))
      await expect(importModel(order)).rejects.toThrow('must lie beside the model')
      expect(existsSync(join(order.modelsDir, DHOLUO))).toBe(false)
    },
  )

  it('reads what it is from the files, runs it, and writes a package that the service serves', async () => {
    const manifest = await importModel(order)
    expect(manifest).toMatchObject({
      id: DHOLUO,
      language_code: 'luo',
      features: { mel_bins: 128 },
      encoder: { layers: 3, left: 56, dim: 32, conv_cache: 8, pre_encode_cache: 9 },
      decoder: { layers: 2, hidden: 32 },
      vocab_size: 15,
      look_aheads: [13, 6, 3, 0],
      prompt_index: 18,
    })
    const recogniser = await openRecogniser({ modelsDir: order.modelsDir })
    expect(recogniser.models).toEqual([DHOLUO])
    const stream = await recogniser.open(DHOLUO, { lookAhead: 6, phrases: [] })
    stream.push(babble(50_000))
    expect((await finalOf(stream)).final.audioMs).toBe(3125)
    await recogniser.close()
  })

  it('runs an int8 joiner one frame at a time: batches would change what it says', async () => {
    await importModel(order)
    expect(await openModelPackage(join(order.modelsDir, DHOLUO))).toMatchObject({ joinsBatches: false })
  })

  it('takes the prompt that is asked for, or the automatic one where the language has none', async () => {
    expect((await importModel({ ...order, prompt: 'en-US' })).prompt_index).toBe(0)
    expect((await importModel({ ...order, model: 'svc-asr-kikuyu-v1' })).prompt_index).toBe(101)
    await expect(importModel({ ...order, prompt: 'xx' })).rejects.toThrow(/no prompt xx; it has en-US, sw-KE/)
  })

  it('takes the language model that lies beside the graphs, and refuses one of another vocabulary', async () => {
    const language = (vocabularySize: number) =>
      writeLanguageModel({
        vocabularySize,
        weights: [1, 0, 0],
        levels: [[{ context: [], next: { 0: 1 }, rest: 1 }], []],
      })
    writeFileSync(join(from, 'language-model.bin'), language(15))
    const { files } = await importModel(order)
    expect(files.language_model).toMatchObject({ path: 'language-model.bin' })
    const { languageModelPath } = await openModelPackage(join(order.modelsDir, DHOLUO))
    expect(languageModelPath).toBe(join(order.modelsDir, DHOLUO, 'language-model.bin'))
    writeFileSync(join(from, 'language-model.bin'), language(16))
    await expect(importModel(order)).rejects.toThrow(/language-model\.bin: it knows 16 pieces/)
  })

  describe('of a package', () => {
    /** As the training exports it: two languages of one network share its files. */
    function sharePackage(encoder: string): string {
      const shared = join(place, 'shared-v1')
      cpSync(TINY, shared, { recursive: true })
      const manifest = JSON.parse(readFileSync(join(shared, 'manifest.json'), 'utf8'))
      rmSync(join(shared, 'manifest.json'))
      for (const file of Object.values<{ path: string }>(manifest.files))
        file.path = `../shared-v1/${file.path}`
      manifest.files.encoder.path = encoder
      const folder = join(place, 'svc-asr-dholuo-v1')
      mkdirSync(folder)
      writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, version: '3.1.4' }))
      return folder
    }

    it('copies the files that it shares, and keeps its version', async () => {
      const { version, licence, ...asked } = order
      const packaged = sharePackage('../shared-v1/encoder.onnx')
      const manifest = await importModel({ ...asked, from: packaged })
      expect(manifest.version).toBe('3.1.4')
      expect(Object.values(manifest.files).map(({ path }) => path)).not.toContain(
        expect.stringContaining('/'),
      )
      rmSync(join(place, 'shared-v1'), { recursive: true })
      expect((await openModelPackage(join(order.modelsDir, DHOLUO))).manifest).toEqual(manifest)
    })

    it('brings all that a bundled model has', async () => {
      const from = fileURLToPath(new URL(`../../../../../models/${DHOLUO}`, import.meta.url))
      const { version, licence, ...asked } = order
      const { files } = await importModel({ ...asked, from })
      expect(Object.keys(files).toSorted()).toEqual(
        ['decoder', 'encoder', 'frame_scorer', 'joiner', 'language_model', 'tokens'].toSorted(),
      )
      const { frameScorerPath } = await openModelPackage(join(order.modelsDir, DHOLUO))
      expect(frameScorerPath).toBe(join(order.modelsDir, DHOLUO, 'frames.onnx'))
    }, 30_000)

    it('takes no card from elsewhere', async () => {
      const packaged = sharePackage('../shared-v1/encoder.onnx')
      const manifest = join(packaged, 'manifest.json')
      const outside = mkdtempSync(join(tmpdir(), 'sauti-outside-'))
      writeFileSync(join(outside, 'card.md'), 'not for the package')
      const card = join('..', '..', basename(outside), 'card.md')
      writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), card }))
      await expect(importModel({ ...order, from: packaged })).rejects.toThrow('or in a folder beside it')
      rmSync(outside, { recursive: true })
    })

    it.each(['/etc/hostname', '../../hostname'])(
      'reads nothing elsewhere, whatever it names: %s',
      async path => {
        await expect(importModel({ ...order, from: sharePackage(path) })).rejects.toThrow(
          'or in a folder beside it',
        )
      },
    )
  })

  it('puts the new package in the place of the old one', async () => {
    await importModel(order)
    await importModel({ ...order, version: '2.0.0' })
    const { manifest } = await openModelPackage(join(order.modelsDir, DHOLUO))
    expect(manifest.version).toBe('2.0.0')
    expect(readdirSync(order.modelsDir)).toEqual([DHOLUO])
  })

  it('can be read by whoever the service runs as', async () => {
    await importModel(order)
    expect(statSync(join(order.modelsDir, DHOLUO)).mode & 0o777).toBe(0o755)
  })

  it.each<[string, () => void, RegExp]>([
    ['a part is missing', () => rmSync(join(from, 'joiner.int8.onnx')), /joiner\.onnx: the file is missing/],
    [
      'a file is cut off',
      () => truncateSync(join(from, 'encoder.int8.onnx'), 100_000),
      /encoder\.int8\.onnx: /,
    ],
    [
      'a file is something else',
      () => writeFileSync(join(from, 'decoder.int8.onnx'), 'hello'),
      /decoder\.int8\.onnx: /,
    ],
    [
      'the tokens are of another model',
      () => copyFileSync(join(TINY, 'tokens.txt'), join(from, 'tokens.txt')),
      /tokens\.txt: it has 17 pieces/,
    ],
    [
      'the decoder is of another model',
      () => copyFileSync(join(TINY, 'decoder.onnx'), join(from, 'decoder.int8.onnx')),
      /decoder\.int8\.onnx: input h/,
    ],
    [
      'the joiner is of another model',
      () => copyFileSync(join(TINY, 'joiner.onnx'), join(from, 'joiner.int8.onnx')),
      /joiner\.int8\.onnx: /,
    ],
    [
      'the export is for another chunk',
      () => replaceText(join(from, 'encoder.int8.onnx'), 'chunk_shift\x12\x03112', 'chunk_shift\x12\x03056'),
      /exported for a step of 7 frames/,
    ],
  ])('refuses it, names the file and leaves everything as it was when %s', async (_, breakIt, message) => {
    breakIt()
    await expect(importModel(order)).rejects.toThrow(message)
    await expect(importModel(order)).rejects.toThrow(`model package ${from}: `)
    expect(existsSync(join(order.modelsDir, DHOLUO))).toBe(false)
    expect(readdirSync(order.modelsDir)).toEqual([])
  })
})

function replaceText(path: string, text: string, other: string): void {
  writeFileSync(path, readFileSync(path, 'latin1').replace(text, other), 'latin1')
}
