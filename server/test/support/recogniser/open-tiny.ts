// A recogniser on the tiny models, and the ways in which tests drive a stream.

import {
  type EngineSettings,
  openRecogniser,
  type RecogniserHooks,
} from '#server/recogniser/open-recogniser.js'
import type { Recogniser, RecogniserStream } from '#server/recogniser/port.js'
import { readUntil } from './event-reader.ts'
import { tinyModelsDir } from './tiny-models.ts'

export const KIKUYU = 'svc-asr-kikuyu-v1'

export async function openTiny(
  settings: Partial<EngineSettings> = {},
  hooks: Partial<RecogniserHooks> = {},
): Promise<Recogniser> {
  const { modelsDir, remove } = tinyModelsDir()
  const recogniser = await openRecogniser({ modelsDir, engineWaitMs: 20_000, ...settings }, hooks)
  remove()
  return recogniser
}

/** Flushes and gives the answer, with the deltas before it. */
export async function finalOf(stream: RecogniserStream) {
  stream.flush()
  const events = await readUntil(stream, event => event.type === 'final')
  const final = events.at(-1)
  if (final?.type !== 'final') throw new Error('the stream ended without a final')
  const deltas = events.filter(event => event.type === 'delta')
  return { final, deltas }
}
