// How streams end, and what they cost then (decisions: WebSocket and money).

import { type Rule, rulesOf, type Scene } from '../rule.ts'
import {
  audioLimit,
  type Ending,
  earlyAudio,
  idling,
  invalidMessages,
  largeFrame,
  largeText,
  vanishing,
} from '../scenes/endings.ts'
import { expiry } from '../scenes/expiry.ts'
import { at, isText, NotSeen, same, see } from '../see.ts'
import { isTurnedAway } from './handshake.ts'

const CLOSES = 'decisions: WebSocket'
const MONEY = 'decisions: money'

interface Closed {
  readonly id: string
  readonly text: string
  readonly scene: Scene<Ending>
  readonly code: string
  readonly close: number
  readonly status: string
  readonly audioMs: number
  readonly billableMs: number
  readonly section?: string
}

/** The last event is a fatal error, and the close reason is its code. */
function isClosedBy({ stream, session }: Ending, code: string, close: number): void {
  const last = stream.events.at(-1)
  same(last?.type, 'error', 'the last event')
  same(at(last?.json, 'code'), code, 'code')
  same(at(last?.json, 'fatal'), true, 'fatal')
  same(at(last?.json, 'session_id'), session.id, 'session_id')
  isText(at(last?.json, 'message'), 'message')
  same(stream.closing, { code: close, reason: code }, 'the close')
}

function isBilled(
  { bill }: Ending,
  { status, audioMs, billableMs }: Pick<Closed, 'status' | 'audioMs' | 'billableMs'>,
) {
  same(at(bill, 'status'), status, 'status')
  same(at(bill, 'audio_ms'), audioMs, 'audio_ms')
  same(at(bill, 'billable_ms'), billableMs, 'billable_ms')
}

const CLOSED: readonly Closed[] = [
  {
    id: 'audio-limit',
    text: 'Audio beyond the reservation ends the stream with 4402 audio_limit_reached.',
    scene: audioLimit,
    code: 'audio_limit_reached',
    close: 4402,
    status: 'completed',
    audioMs: 1000,
    billableMs: 1000,
  },
  {
    id: 'large-frame',
    section: '8',
    text: 'A binary frame of 65,536 bytes is accepted, one of 65,537 ends the stream with 1009 frame_too_large.',
    scene: largeFrame,
    code: 'frame_too_large',
    close: 1009,
    status: 'failed',
    audioMs: 2048,
    billableMs: 3000,
  },
  {
    id: 'large-text',
    text: 'A text of more than 16 KiB ends the stream with 1009 message_too_large.',
    scene: largeText,
    code: 'message_too_large',
    close: 1009,
    status: 'failed',
    audioMs: 0,
    billableMs: 0,
  },
  {
    id: 'invalid-messages',
    text: 'The 5th invalid message ends the stream with 4400 too_many_invalid_messages.',
    scene: invalidMessages,
    code: 'too_many_invalid_messages',
    close: 4400,
    status: 'failed',
    audioMs: 0,
    billableMs: 0,
  },
  {
    id: 'idle',
    text: '60 s without any frame end the stream with 4408 idle_timeout.',
    scene: idling,
    code: 'idle_timeout',
    close: 4408,
    status: 'completed',
    audioMs: 0,
    billableMs: 0,
  },
]

const closes: readonly Rule[] = CLOSED.flatMap(closed =>
  rulesOf(closed.scene, [
    {
      id: `close.${closed.id}`,
      section: closed.section ?? CLOSES,
      text: closed.text,
      look: (ending: Ending) => isClosedBy(ending, closed.code, closed.close),
    },
    {
      id: `billing.${closed.id}`,
      section: MONEY,
      text: `Such a session is ${closed.status}, with ${closed.audioMs} ms of audio and ${closed.billableMs} ms billed.`,
      look: (ending: Ending) => isBilled(ending, closed),
    },
  ]),
)

const limit = rulesOf(audioLimit, [
  {
    id: 'limit.cut',
    section: CLOSES,
    text: 'Audio is cut at the exact sample of the limit, and its final comes before the close.',
    look({ stream }) {
      const finals = stream.events.filter(({ type }) => type === 'final')
      same(finals.length, 1, 'the number of finals')
      same(at(finals[0]?.json, 'audio_ms'), 1000, 'audio_ms')
      same(at(finals[0]?.json, 'remaining_ms'), 0, 'remaining_ms')
    },
  },
])

const texts = rulesOf(largeText, [
  {
    id: 'text.largest',
    section: CLOSES,
    text: 'A text of exactly 16 KiB is read.',
    look: ({ stream }) =>
      see(
        stream.events.some(({ type }) => type === 'config_ack'),
        'it was not acknowledged',
      ),
  },
])

const warned = rulesOf(invalidMessages, [
  {
    id: 'mistakes.four',
    section: CLOSES,
    text: 'The first four invalid messages are reported and do not end the stream.',
    look({ stream }) {
      const warnings = stream.events.filter(({ json }) => at(json, 'fatal') === false)
      same(
        warnings.map(({ json }) => at(json, 'code')),
        Array.from({ length: 4 }, () => 'invalid_json'),
        'the list of warnings',
      )
    },
  },
])

function wasEarly(ending: Ending): Ending {
  const first = ending.stream.events.find(({ type }) => type === 'ready' || type === 'error')
  if (first?.type === 'ready') throw new NotSeen('the service was ready before the audio reached it')
  return ending
}

const early = rulesOf(earlyAudio, [
  {
    id: 'early-audio.told',
    section: '4.4',
    text: 'Audio before ready is not accepted: audio_before_ready, not fatal.',
    look(recording) {
      const [first] = wasEarly(recording).stream.events.filter(({ type }) => type === 'error')
      same(at(first?.json, 'code'), 'audio_before_ready', 'code')
      same(at(first?.json, 'fatal'), false, 'fatal')
    },
  },
  {
    id: 'close.early-audio',
    section: CLOSES,
    text: 'The 10th audio before ready ends the stream with 4400 too_many_invalid_messages.',
    look(recording) {
      const { stream } = wasEarly(recording)
      const codes = stream.events.filter(({ type }) => type === 'error').map(({ json }) => at(json, 'code'))
      const told = Array.from({ length: 9 }, () => 'audio_before_ready')
      same(codes, [...told, 'too_many_invalid_messages'], 'the list of errors')
      same(stream.closing, { code: 4400, reason: 'too_many_invalid_messages' }, 'the close')
    },
  },
  {
    id: 'billing.early-audio',
    section: MONEY,
    text: 'Audio before ready is not accepted and not billed.',
    look: recording => isBilled(wasEarly(recording), { status: 'failed', audioMs: 0, billableMs: 0 }),
  },
])

const vanished = rulesOf(vanishing, [
  {
    id: 'ready.other-model',
    section: '4.4',
    text: 'The other model is Dholuo: ready says so.',
    look({ stream }) {
      const ready = stream.events.find(({ type }) => type === 'ready')
      same(at(ready?.json, 'model'), 'svc-asr-dholuo-v1', 'model')
      same(at(ready?.json, 'language'), 'luo', 'language')
    },
  },
  {
    id: 'billing.vanished',
    section: MONEY,
    text: 'A client that just vanishes pays for the accepted audio: half a second is billed as one.',
    look: recording => isBilled(recording, { status: 'completed', audioMs: 500, billableMs: 1000 }),
  },
])

const PING_INTERVAL_MS = 15_000
const PING_MARGIN_MS = 3_000

const idle = rulesOf(idling, [
  {
    id: 'ping.every-15-s',
    section: CLOSES,
    text: 'The server pings every 15 s.',
    look({ stream: { pingsAtMs } }) {
      see(pingsAtMs.length >= 3, `${pingsAtMs.length} pings came within a minute`)
      for (const [index, atMs] of pingsAtMs.entries()) {
        const sinceMs = Math.round(atMs - (pingsAtMs[index - 1] ?? atMs - PING_INTERVAL_MS))
        see(Math.abs(sinceMs - PING_INTERVAL_MS) <= PING_MARGIN_MS, `a ping came after ${sinceMs} ms`)
      }
    },
  },
])

const expired = rulesOf(expiry, [
  {
    id: 'credential.expires',
    section: '4.4',
    text: 'The credential expires 60 seconds after creation: error and 4401 expired_credential.',
    look: ({ late }) => isTurnedAway(late, ['expired_credential']),
  },
  {
    id: 'billing.expired',
    section: MONEY,
    text: 'A session that was never opened is expired and costs nothing.',
    look({ bill }) {
      same(at(bill, 'status'), 'expired', 'status')
      same(at(bill, 'billable_ms'), 0, 'billable_ms')
    },
  },
  {
    id: 'balance.expired',
    section: '1',
    text: 'The reservation of an expired session is returned.',
    look: ({ before, after }) =>
      same(at(after.json, 'available_ms'), at(before.json, 'available_ms'), 'available_ms'),
  },
  {
    id: 'idempotency.window',
    section: '8',
    text: 'After its session has expired an Idempotency-Key is free again.',
    look({ session, anew }) {
      same(anew.status, 201, 'the status')
      see(at(anew.json, 'id') !== session.id, 'the expired session came again')
    },
  },
])

export const endingRules = [
  ...closes,
  ...limit,
  ...texts,
  ...warned,
  ...early,
  ...vanished,
  ...idle,
  ...expired,
]
