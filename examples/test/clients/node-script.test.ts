import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, startBench } from '../../../sdk/test/support/bench.ts'
import { CLIP, REAL_MODELS } from '../../../sdk/test/support/clip.ts'
import { startExample } from '../support/run-example.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench(REAL_MODELS)
})
afterAll(() => bench.stop())

test('the Node script prints the text of a file, and each word with its time', async () => {
  const { key } = await bench.customer()
  const child = startExample('node/transcribe.mjs', [CLIP.model, CLIP.path], bench, key)
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', text => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    err += text
  })
  const [code] = await once(child, 'close')
  expect({ code, err }).toMatchObject({ code: 0 })
  const [text, ...words] = out.trimEnd().split('\n')
  expect(words.map(line => line.split('\t')[1]).join(' ')).toBe(text)
  CLIP.expectText(text!)
})
