// The ways in which a stream ends, each in a session of its own: what was told, how it closed, and what it cost.

import type { RecordedStream } from '../recorded-stream.ts'
import type { Scene } from '../rule.ts'
import { DHOLUO, KIKUYU, type Session, type World } from '../world.ts'

export interface Ending {
  readonly session: Session
  readonly stream: RecordedStream
  readonly bill: unknown
}

const SECOND_BYTES = 32_000
const MAX_FRAME_BYTES = 65_536
const MAX_TEXT_BYTES = 16 * 1024
const INVALID_MESSAGES = 5
const EARLY_FRAMES = 10

interface Story {
  readonly name: string
  readonly seconds: number
  /** Of the audio that is sent. */
  readonly spent: number
  readonly model?: string
  /** Ends the stream, once it is ready. */
  act(stream: RecordedStream): void | Promise<void>
  /** Sent before it can be ready. */
  readonly early?: readonly Buffer[]
  readonly patienceMs?: number
  readonly slow?: true
}

function ending({
  name,
  seconds,
  spent,
  model = KIKUYU,
  act,
  early,
  patienceMs,
  slow,
}: Story): Scene<Ending> {
  async function play(world: World): Promise<Ending> {
    const session = await world.session({ model, max_audio_seconds: seconds })
    const stream = world.open(session, early)
    await stream.wait(() => stream.events.some(({ type }) => type === 'ready'))
    if (stream.isOpen) await act(stream)
    await stream.wait(() => false, patienceMs)
    if (!stream.isOver) stream.vanish()
    return { session, stream, bill: await world.bill(session) }
  }
  return { name, cost: { sessions: 1, seconds: spent }, play, ...(slow ? { slow } : {}) }
}

export const audioLimit = ending({
  name: 'audio beyond the reservation',
  seconds: 1,
  spent: 1,
  act(stream) {
    stream.audio(Buffer.alloc(SECOND_BYTES - 2))
    stream.audio(Buffer.alloc(SECOND_BYTES / 2))
  },
})

export const largeFrame = ending({
  name: 'a binary frame that is too large',
  seconds: 3,
  spent: 3,
  async act(stream) {
    await stream.answers(() => stream.audio(Buffer.alloc(MAX_FRAME_BYTES)))
    stream.audio(Buffer.alloc(MAX_FRAME_BYTES + 1))
  },
})

export const largeText = ending({
  name: 'a text message that is too large',
  seconds: 1,
  spent: 0,
  async act(stream) {
    const config = '{"type":"config"}'
    await stream.after(
      () => stream.text(config.padEnd(MAX_TEXT_BYTES)),
      events => events.length > 0,
    )
    stream.text(config.padEnd(MAX_TEXT_BYTES + 1))
  },
})

export const invalidMessages = ending({
  name: 'invalid messages',
  seconds: 1,
  spent: 0,
  act(stream) {
    for (let count = 0; count < INVALID_MESSAGES; count++) stream.text('?')
  },
})

export const earlyAudio = ending({
  name: 'audio before ready',
  seconds: 1,
  spent: 0,
  early: Array.from({ length: EARLY_FRAMES }, () => Buffer.alloc(320)),
  act: stream => stream.vanish(),
})

/** The other model, and a client that leaves without a close frame. */
export const vanishing = ending({
  name: 'a client that vanishes',
  model: DHOLUO,
  seconds: 2,
  spent: 1,
  async act(stream) {
    await stream.answers(() => stream.audio(Buffer.alloc(SECOND_BYTES / 2)))
    await stream.answers(() => stream.say({ type: 'flush' }))
    stream.vanish()
  },
})

export const idling = ending({
  name: 'a client that says nothing',
  seconds: 1,
  spent: 0,
  act: () => undefined,
  patienceMs: 90_000,
  slow: true,
})
