// A live session against a service that follows a script. After each test the service is stopped, and nothing may have been rejected
// without anybody listening.

import { afterEach, expect, vi } from 'vitest'
import { type LiveSession, type LiveSessionOptions, openLiveSession } from '#sdk/index.js'
import { connectWs, type Peer, READY, type Script, startFaultyService } from './faulty-service.ts'

let stop: (() => Promise<void>) | undefined
const unhandled = vi.fn()
process.on('unhandledRejection', unhandled)

afterEach(async () => {
  await stopService()
  await new Promise(resolve => setTimeout(resolve, 5))
  const rejections = [...unhandled.mock.calls]
  // What one test left behind says nothing about the next.
  unhandled.mockClear()
  expect(rejections).toEqual([])
})

export async function stopService(): Promise<void> {
  await stop?.()
  stop = undefined
}

interface Opened {
  readonly live: LiveSession
  readonly peers: readonly Peer[]
}

export async function open(script: Script, options: LiveSessionOptions = {}): Promise<Opened> {
  const service = await startFaultyService(script)
  stop = service.stop
  return { live: openLiveSession(service.grant, { connect: connectWs, ...options }), peers: service.peers }
}

export const isAudio = (frame: unknown) => Buffer.isBuffer(frame)
export const final = (text: string) => ({
  type: 'final',
  text,
  utterance: 0,
  words: [],
  audio_ms: 0,
  billable_ms: 0,
})

/** A service that is ready at once and answers what it is asked. */
export const healthy: Script = (peer, frame) => {
  if (!frame) return peer.say(READY)
  if (isAudio(frame)) return
  const { type } = frame as { type: string }
  if (type === 'flush') peer.say(final(`after ${peer.frames.filter(isAudio).length} frames`))
  if (type === 'reset') peer.say({ type: 'reset_ack', utterance: 1 })
  if (type === 'config') peer.say({ ...frame, type: 'config_ack', phrases: 0 })
}
