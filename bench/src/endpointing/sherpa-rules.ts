// A peer: sherpa-onnx with our model and its own rule for the end of an utterance, which is so much silence behind words, by the recogniser's blanks
// alone. On the same clock as ours: each frame arrives at its end, and a step takes the processor time that it really took.

import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { Sherpa } from '../engine/sherpa.ts'
import type { Heard } from './listen.ts'
import type { End } from './verdict.ts'

export function makeSherpaListener(
  modelFolder: string,
  silenceMs: number,
): (frames: readonly Int16Array[]) => Heard {
  const sherpa = new Sherpa(modelFolder, silenceMs)
  return frames => hear(sherpa, frames)
}

function hear(sherpa: Sherpa, frames: readonly Int16Array[]): Heard {
  const utterance = sherpa.begin()
  const ends: End[] = []
  let decidedMs = 0
  let busyUntilMs = 0
  for (const frame of frames) {
    decidedMs += frame.length / SAMPLES_PER_MS
    const before = process.cpuUsage()
    const text = utterance.hear(frame)
    const { user, system } = process.cpuUsage(before)
    busyUntilMs = Math.max(busyUntilMs, decidedMs) + (user + system) / 1000
    if (utterance.restartAtEnd()) ends.push({ decidedMs, finalMs: busyUntilMs, text })
  }
  // It does not tell when speech starts.
  return { starts: 0, ends }
}
