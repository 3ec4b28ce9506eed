// LiveKit runs a stream again when it failed: with LiveKit's own base class, and a service that drops the first connection. Needs `npm ci` in
// integrations/livekit.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { afterEach, describe, expect, test } from 'vitest'
import {
  connectWs,
  type Peer,
  READY,
  type Script,
  startFaultyService,
} from '../../../../sdk/test/support/faulty-service.ts'
import { final, isAudio } from '../../../../sdk/test/support/scripted-session.ts'

const folder = fileURLToPath(new URL('../..', import.meta.url))
const isInstalled = existsSync(join(folder, 'node_modules/@livekit/agents'))
const MODEL = 'svc-asr-kikuyu-v1'
const FRAME_SAMPLES = 320

function heardMs(peer: Peer): number {
  const audio = peer.frames.filter(isAudio) as Buffer[]
  return audio.reduce((sum, { length }) => sum + length, 0) / 2 / SAMPLES_PER_MS
}

/** Answers every flush. */
const answering: Script = (peer, frame) => {
  if (!frame) return peer.say(READY)
  if (!isAudio(frame)) peer.say({ ...final('wega'), audio_ms: heardMs(peer) })
}

describe.skipIf(!isInstalled)('a stream that LiveKit runs again', () => {
  let stop: (() => Promise<void>) | undefined
  afterEach(() => stop?.())

  async function setUp() {
    const [{ STT }, { SpeechStream }, { AudioFrame }, { initializeLogger, stt }] = await Promise.all([
      import('../../src/index.ts'),
      import('../../src/stream.ts'),
      import('@livekit/rtc-node'),
      import('@livekit/agents'),
    ])
    initializeLogger({ pretty: false, level: 'error' })
    const service = await startFaultyService(answering)
    stop = service.stop
    let runs = 0
    const streamOptions = () => {
      runs += 1
      const audio = { max_audio_seconds: 60 }
      const createSession = async () => ({ ...service.grant, audio }) as never
      // Without patience of its own, the stream leaves it to LiveKit to try again.
      return { model: MODEL, createSession, connect: connectWs, patienceMs: -1 }
    }
    const owner = new STT({ model: MODEL, baseUrl: 'https://localhost', apiKey: 'svc_live_v1_unused' })
    const retries = { maxRetry: 1, retryIntervalMs: 1, timeoutMs: 10_000 }
    const stream = new SpeechStream(owner, streamOptions, retries)
    const push = (frames: number) => {
      for (let n = 0; n < frames; n++)
        stream.pushFrame(new AudioFrame(new Int16Array(FRAME_SAMPLES), 16_000, 1, FRAME_SAMPLES))
    }
    return { stream, push, peers: service.peers, Type: stt.SpeechEventType, runs: () => runs }
  }

  test('reports what each run heard, once', async () => {
    const { stream, push, peers, Type, runs } = await setUp()
    const nextUsageMs = async () => {
      for await (const event of stream)
        if (event.type === Type.RECOGNITION_USAGE) return event.recognitionUsage!.audioDuration * 1000
      return undefined
    }
    // The loss is noticed with the next audio.
    const runsAfterMoreAudio = () => {
      if (runs() === 1) push(1)
      return runs()
    }
    push(100)
    stream.flush()
    expect(await nextUsageMs()).toBe(2_000)
    peers[0]!.socket.terminate()
    await expect.poll(() => runsAfterMoreAudio()).toBe(2)
    push(50)
    stream.endInput()
    const secondMs = await nextUsageMs()
    expect(secondMs).toBeGreaterThanOrEqual(1_000)
    expect(secondMs).toBe(heardMs(peers[1]!))
  })
})
