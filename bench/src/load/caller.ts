// Somebody who calls again and again: a session, some sentences in real time, the next session.

import { setTimeout as wait } from 'node:timers/promises'
import { MODEL_IDS } from '@sauti/protocol/models'
import { randomNumbers } from '../engine/random.ts'
import { Refusal } from '../floods/session.ts'
import type { Address } from '../measure/dial.ts'
import type { Clip } from './clips.ts'
import type { Utterance } from './latency.ts'
import { Stream, StreamLost } from './stream.ts'
import type { Tally } from './tally.ts'

/** Sentences of one session, and the seconds that it needs: none of the clips is longer than 8 s. */
const SENTENCES = 6
export const SESSION_SECONDS = 60
/** Between a failure without a Retry-After and the next attempt. */
const RETRY_MS = 1000
const LONGEST_PAUSE_MS = 1500

export interface Call {
  /** A new session, of ours or of a peer. Rejects with a Refusal. */
  readonly open: (model: string) => Promise<Address>
  readonly clips: readonly Clip[]
  readonly tally: Tally
  /** What our service wrote for each clip when it had nothing else to do. */
  readonly alone: ReadonlyMap<string, Utterance>
  readonly until: number
}

export async function callAgainAndAgain(call: Call, number: number): Promise<void> {
  const random = randomNumbers(number + 1)
  const model = MODEL_IDS[number % MODEL_IDS.length]!
  const clips = call.clips.filter(clip => clip.model === model)
  const nextClip = () => clips[Math.floor(random() * clips.length)]!
  await wait(random() * LONGEST_PAUSE_MS)
  while (performance.now() < call.until) {
    try {
      await speakOnce(call, model, nextClip, () => wait(random() * LONGEST_PAUSE_MS))
    } catch (error) {
      call.tally.fail(codeOf(error))
      const retryMs = error instanceof Refusal ? (error.retryAfterSeconds ?? 1) * 1000 : RETRY_MS
      await wait(Math.max(0, Math.min(retryMs, call.until - performance.now())))
    }
  }
}

async function speakOnce(
  { open, tally, alone, until }: Call,
  model: string,
  nextClip: () => Clip,
  pause: () => Promise<void>,
): Promise<void> {
  const stream = new Stream(await open(model))
  tally.sessions++
  tally.open++
  try {
    // A caller with a session says at least one sentence.
    for (let i = 0; i === 0 || (i < SENTENCES && performance.now() < until); i++) {
      const clip = nextClip()
      tally.hear(await stream.say(clip), alone.get(clip.name)!)
      await pause()
    }
  } finally {
    tally.open--
    await stream.close()
  }
}

/** The service's own code, or the network's. */
export function codeOf(error: unknown): string {
  if (error instanceof Refusal || error instanceof StreamLost) return error.code
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
