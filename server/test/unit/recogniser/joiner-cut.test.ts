import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Tensor } from 'onnxruntime-node'
import { afterAll, describe, expect, it } from 'vitest'
import { cutJoiner } from '#server/recogniser/joiner-cut.js'
import { describeOnnx } from '#server/recogniser/onnx-metadata.js'
import { bytesField, numberField, textField } from '#server/recogniser/protobuf-message.js'
import { Session, type Tensors } from '#server/recogniser/sessions.js'

const fixture = (path: string) => fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url))
const BUNDLED = fileURLToPath(new URL('../../../../models/shared-v1/joiner.onnx', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'sauti-joiner-'))
afterAll(() => rmSync(place, { recursive: true }))

const open = (model: string | Uint8Array) => new Session(model, { provider: 'cpu', threads: 1 })

function run(session: Session, ...inputs: readonly Tensor[]): Tensor {
  const named: Tensors = Object.fromEntries(inputs.map((tensor, i) => [session.inputNames[i]!, tensor]))
  return session.tryOut(named)
}

function anyRow(size: number, seed: number): Tensor {
  return new Tensor(
    'float32',
    Float32Array.from({ length: size }, (_, i) => Math.sin(i * seed)),
    [1, size, 1],
  )
}

describe('a joiner in three parts', () => {
  it.each([
    ['with random weights', fixture('tiny-model/joiner.onnx'), 64, 64],
    ['as exports are published, int8', fixture('prompted-export/joiner.int8.onnx'), 32, 32],
    ['of the bundled models', BUNDLED, 320, 256],
  ])('scores as it does whole: %s', (_, path, frameSize, predictionSize) => {
    const cut = cutJoiner(path)!
    const [frames, predictions, scores] = [cut.frames, cut.predictions, cut.scores].map(open)
    for (const seed of [0.7, 1.1, 1.9]) {
      const [frame, prediction] = [anyRow(frameSize, seed), anyRow(predictionSize, seed + 0.3)]
      const whole = run(open(path), frame, prediction)
      const joined = run(scores!, run(frames!, frame), run(predictions!, prediction))
      expect(joined.dims).toEqual(whole.dims)
      for (const [i, score] of (joined.data as Float32Array).entries())
        expect(score).toBeCloseTo((whole.data as Float32Array)[i]!, 4)
    }
  })

  it('stays whole where frame and prediction meet at once, or not in one place', () => {
    expect(cutJoiner(written([['Add', ['frame', 'prediction'], 'scores']]))).toBeUndefined()
    const twice = written([
      ['Tanh', ['frame'], 'a'],
      ['Neg', ['frame'], 'b'],
      ['Tanh', ['prediction'], 'c'],
      ['Add', ['a', 'c'], 'd'],
      ['Mul', ['b', 'd'], 'scores'],
    ])
    expect(cutJoiner(twice)).toBeUndefined()
  })

  it('takes along only what each part needs', () => {
    const cut = cutJoiner(
      written([
        ['Tanh', ['frame'], 'a'],
        ['Neg', ['prediction'], 'b'],
        ['Add', ['a', 'b'], 'scores'],
      ]),
    )!
    const operators = [cut.frames, cut.predictions, cut.scores].map((bytes, i) => {
      const path = join(place, `part-${i}.onnx`)
      writeFileSync(path, bytes)
      return [...describeOnnx(path).operators]
    })
    expect(operators).toEqual([['Tanh'], ['Neg'], ['Add']])
  })
})

/** An ONNX file with these nodes: operator, inputs, output. */
function written(nodes: readonly [string, readonly string[], string][]): string {
  const value = (name: string) =>
    Buffer.concat([textField(1, name), bytesField(2, bytesField(1, numberField(1, 1)))])
  const graph = [
    ...nodes.map(([operator, inputs, output]) =>
      bytesField(
        1,
        Buffer.concat([
          ...inputs.map(name => textField(1, name)),
          textField(2, output),
          textField(4, operator),
        ]),
      ),
    ),
    ...['frame', 'prediction'].map(name => bytesField(11, value(name))),
    bytesField(12, value('scores')),
  ]
  const path = join(place, 'written.onnx')
  writeFileSync(path, Buffer.concat([numberField(1, 8), bytesField(7, Buffer.concat(graph))]))
  return path
}
