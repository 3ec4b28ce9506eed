// A contender: the bare loop over ONNX Runtime, without a network, a service and other streams. It decodes the utterances that people say to
// the others, one after the other, each ended as a flush ends it: the rest of its audio and the silence after it in one step. Features are
// computed beforehand and not counted. Says what a second of speech costs it.

import { join } from 'node:path'
import { MODEL_IDS } from '@sauti/protocol/models'
import { TAIL_FRAMES } from '@sauti/server/recogniser/engine/model.js'
import { PlainDecoder } from '../engine/plain-decoder.ts'
import { randomNumbers } from '../engine/random.ts'
import { ownCpuMs } from '../measure/processes.ts'
import { drawUtterance } from './utterance.ts'

const LOOK_AHEAD = 13
const WARM_UP = 4
const SAMPLES_PER_SECOND = 16_000

/** What it sends when it is done. */
export interface BareCost {
  readonly utterances: number
  readonly cpuMsPerSecond: number
}

const [, , modelsDir, utterances] = process.argv
const decoders = await Promise.all(MODEL_IDS.map(model => PlainDecoder.open(join(modelsDir!, model))))
const random = randomNumbers(1)
let cpuMs = 0
let seconds = 0
for (let i = -WARM_UP; i < Number(utterances); i++) {
  const audio = drawUtterance(random)
  const decoder = decoders[Math.abs(i) % decoders.length]!
  const windows = decoder.utterance(audio, LOOK_AHEAD, TAIL_FRAMES)
  const before = ownCpuMs()
  await decoder.decode(windows)
  if (i < 0) continue
  cpuMs += ownCpuMs() - before
  seconds += audio.length / SAMPLES_PER_SECOND
}
process.send!({ utterances: Number(utterances), cpuMsPerSecond: cpuMs / seconds } satisfies BareCost)
process.disconnect()
