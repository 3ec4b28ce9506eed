// Chooses how decoder and joiner run: on our own kernels where the weights are found and the results equal those of the graphs, otherwise on the
// ONNX Runtime.

import type { ModelPackage } from '../../package/model-package.ts'
import type { Sessions } from '../onnx-sessions.ts'
import { KernelTransducer } from './kernel-transducer.ts'
import { OnnxTransducer } from './onnx-transducer.ts'
import type { Prediction, Transducer } from './transducer.ts'
import { findWeights } from './weights.ts'

/** Largest difference of a log probability. Rounding makes one below 1e-4; a network that was misread makes one of several units. */
const TOLERANCE = 0.01
const TRIED_FRAMES = 3
const TRIED_PIECES = 4

export function openTransducer(sessions: Sessions, model: ModelPackage): Transducer {
  const { decoder, joiner } = model.paths
  return sessions.share(`${decoder} ${joiner}`, () => {
    const onnx = new OnnxTransducer(sessions, model)
    const weights = sessions.provider === 'cpu' ? findWeights(decoder, joiner) : undefined
    const kernel = weights && KernelTransducer.from(weights)
    if (kernel === undefined || !agree(onnx, kernel, model.encodedSize)) return onnx
    sessions.close(decoder)
    sessions.close(joiner)
    return kernel
  })
}

/** Whether both give the same probabilities for made-up frames after a few pieces. */
function agree(a: Transducer, b: Transducer, encodedSize: number): boolean {
  if (a.blank !== b.blank) return false
  const encoded = Float32Array.from({ length: TRIED_FRAMES * encodedSize }, (_, i) => Math.sin(i * i))
  let [ofA, ofB] = [a.start, b.start]
  for (let i = 0; i < TRIED_PIECES; i++) {
    if (!isClose(score(a, encoded, ofA), score(b, encoded, ofB))) return false
    const piece = (i * 7919) % a.blank
    ofA = a.predict(piece, ofA)
    ofB = b.predict(piece, ofB)
  }
  return true
}

function score(transducer: Transducer, encoded: Float32Array, prediction: Prediction): Float32Array {
  const frames = transducer.prepare(encoded, TRIED_FRAMES)
  const rows = Math.min(TRIED_FRAMES, transducer.maxRows)
  return transducer.join(frames, TRIED_FRAMES - rows, rows, prediction)
}

function isClose(a: Float32Array, b: Float32Array): boolean {
  return a.every((value, i) => Math.abs(value - b[b.length - a.length + i]!) < TOLERANCE)
}
