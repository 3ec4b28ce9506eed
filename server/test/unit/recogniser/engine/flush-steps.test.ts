import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { loadModel, type Model } from '#server/recogniser/engine/model.js'
import { type Run, Session, Sessions } from '#server/recogniser/engine/onnx-sessions.js'
import { Utterance } from '#server/recogniser/engine/utterance.js'
import { openModelPackage } from '#server/recogniser/package/model-package.js'
import { TINY_MODEL } from '../../../support/recogniser/tiny-models.ts'

const FRAME_SAMPLES = 1280
/** One frame less than a chunk: the most audio that a flush can find waiting. */
const REST = new Int16Array(13 * FRAME_SAMPLES)

let sessions: Sessions
beforeEach(() => {
  sessions = new Sessions({ provider: 'cpu', threads: 1 })
})
afterEach(() => sessions.release())
afterEach(() => {
  vi.restoreAllMocks()
})
const tiny = await openModelPackage(TINY_MODEL)

/** Frames of each step of the encoder from now on. */
function noteSteps(refuse: (frames: number) => boolean = () => false): number[] {
  const steps: number[] = []
  const run = Session.prototype.run
  vi.spyOn(Session.prototype, 'run').mockImplementation(function (this: Session, tensors: Run) {
    const encoded = tensors.outputs[this.outputNames[0]!]!
    if (encoded.dims.length === 3 && 'audio_signal' in tensors.inputs) {
      if (refuse(encoded.dims[2]!)) throw new Error('the graph gives fewer frames')
      steps.push(encoded.dims[2]!)
    }
    run.call(this, tensors)
  })
  return steps
}

function finish(model: Model): void {
  const utterance = new Utterance(model)
  utterance.finish(REST)
  utterance.release()
}

it('hears the rest of an utterance and the silence after it in one step', () => {
  const model = loadModel(tiny, sessions)
  const steps = noteSteps()
  finish(model)
  expect(steps).toEqual([13 + 8])
})

it('keeps to the length of a chunk where the encoder never gives more', () => {
  const steps = noteSteps(frames => frames > 14)
  finish(loadModel(tiny, sessions))
  expect(steps.slice(-2)).toEqual([14, 7])
})

it('tries the longest step once for all languages of a network', () => {
  const steps = noteSteps()
  loadModel(tiny, sessions)
  expect(steps.filter(frames => frames === 22)).toHaveLength(1)
  expect(loadModel(tiny, sessions).maxFrames).toBe(22)
  expect(steps.filter(frames => frames === 22)).toHaveLength(1)
})
