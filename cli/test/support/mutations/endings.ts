// Wrong ends of a stream, and what is billed for them.

import { billed, body, closes, events, type Mutation, USAGE } from './make.ts'

/** Ten frames of 320 bytes, each with its header. */
const EARLY_BYTES = 10 * 328

export const endings: readonly Mutation[] = [
  {
    name: 'audio beyond the limit closes with 1000',
    rule: 'close.audio-limit',
    fault: closes(4402, { code: 1000 }),
  },
  {
    name: 'the limit is reached without an error',
    rule: 'close.audio-limit',
    fault: { event: event => (event.code === 'audio_limit_reached' ? [] : [event]) },
  },
  { name: 'the limit comes without a final', rule: 'limit.cut', fault: events('final', () => []) },
  { name: 'the close has no reason', rule: 'close.audio-limit', fault: closes(4402, { reason: '' }) },
  { name: 'a large frame closes with 1002', rule: 'close.large-frame', fault: closes(1009, { code: 1002 }) },
  {
    name: 'a large frame is taken',
    rule: 'close.large-frame',
    fault: {
      frame: (data, isBinary) =>
        isBinary && data.length > 65_536
          ? [data.subarray(0, 65_536), data.subarray(65_536)]
          : [isBinary ? data : String(data)],
    },
  },
  {
    name: 'a large text is taken',
    rule: 'close.large-text',
    fault: { frame: (data, isBinary) => [isBinary ? data : String(data).trim()] },
  },
  {
    name: '16 KiB of text are too much',
    rule: 'text.largest',
    fault: {
      frame: (data, isBinary) => [
        isBinary ? data : data.length === 16_384 ? String(data).padEnd(16_385) : String(data),
      ],
    },
  },
  {
    name: 'five invalid messages do not end the stream',
    rule: 'close.invalid-messages',
    fault: {
      frame: (data, isBinary) => (!isBinary && String(data) === '?' ? [] : [isBinary ? data : String(data)]),
    },
  },
  {
    name: 'the first invalid message is fatal',
    rule: 'mistakes.four',
    fault: { event: event => [event.code === 'invalid_json' ? { ...event, fatal: true } : event] },
  },
  {
    name: 'sessions are billed one second more',
    rule: 'billing.rounded-up',
    fault: billed(session => {
      if (session.audio_ms > 0) session.billable_ms += 1000
    }),
  },
  {
    name: 'sessions are billed to the millisecond',
    rule: 'usage.whole-seconds',
    fault: billed(session => {
      session.billable_ms = session.audio_ms + 1
    }),
  },
  {
    name: 'sessions are rounded down',
    rule: 'billing.rounded-up',
    fault: billed(session => {
      session.billable_ms = Math.floor(session.audio_ms / 1000) * 1000
    }),
  },
  {
    name: 'a stream without audio costs a second',
    rule: 'billing.no-audio',
    fault: billed(session => {
      session.billable_ms = Math.max(session.billable_ms, 1000)
    }),
  },
  {
    name: 'a broken protocol is completed',
    rule: 'billing.invalid-messages',
    fault: billed(session => {
      session.status = 'completed'
    }),
  },
  {
    name: 'a client that vanishes does not pay',
    rule: 'billing.vanished',
    fault: billed(session => {
      if (session.audio_ms === 500) session.billable_ms = 0
    }),
  },
  {
    name: 'a client that breaks the protocol does not pay',
    rule: 'billing.large-frame',
    fault: billed(session => {
      if (session.status === 'failed') session.billable_ms = 0
    }),
  },
  {
    name: 'sessions are not settled',
    rule: 'billing.completed',
    fault: body(USAGE, json => {
      for (const session of json.recent_sessions) session.completed_at = null
    }),
  },
  {
    name: 'a session that is over has no end',
    rule: 'usage.completed-at',
    fault: body(USAGE, json => {
      for (const session of json.recent_sessions) session.completed_at = null
    }),
  },
  {
    name: 'oldest sessions first',
    rule: 'usage.newest-first',
    fault: body(USAGE, json => json.recent_sessions.reverse()),
  },
  {
    name: 'thirty sessions are listed',
    rule: 'usage.most-sessions',
    fault: body(USAGE, json => {
      json.recent_sessions = Array.from({ length: 30 }, () => json.recent_sessions[0])
    }),
  },
  {
    name: 'a session has an unknown status',
    rule: 'usage.sessions',
    fault: billed(session => {
      session.status = 'done'
    }),
  },
  {
    name: 'early audio is ignored without an error',
    rule: 'early-audio.told',
    fault: { earlyBytes: EARLY_BYTES, event: event => (event.code === 'audio_before_ready' ? [] : [event]) },
  },
  {
    name: 'early audio closes with 1003',
    rule: 'close.early-audio',
    fault: { earlyBytes: EARLY_BYTES, ...closes(4400, { code: 1003 }) },
  },
  {
    name: 'early audio is billed',
    rule: 'billing.early-audio',
    fault: {
      earlyBytes: EARLY_BYTES,
      ...billed(session => {
        if (session.status === 'failed' && session.audio_ms === 0) session.billable_ms = 1000
      }),
    },
  },
]
