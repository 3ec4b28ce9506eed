import { describe, expect, it } from 'vitest'
import { readConfig } from '#server/settings/config.js'
import { judge, type Liveness, noteFrame, notePing, startLiveness } from '#server/stream/socket/keepalive.js'

const settings = readConfig({})

function liveness(changes: Partial<Liveness> = {}): Liveness {
  return { ...startLiveness(0), wallClockMs: 240_000, busy: false, ...changes }
}

function verdict(atMs: number, changes: Partial<Liveness> = {}) {
  return judge(liveness({ lastPingAtMs: atMs, ...changes }), atMs, settings)
}

describe('keepalive', () => {
  it.each([
    ['alive before it is idle', 59_999, {}, 'alive'],
    ['idle after 60 s without a frame', 60_000, {}, 'idle_timeout'],
    ['not idle while we work for it', 60_000, { busy: true }, 'alive'],
    ['not idle while we do not read it', 60_000, { paused: true }, 'alive'],
    ['over after 2 x reserved + 120 s', 240_000, { busy: true }, 'session_timeout'],
    [
      'spent: over soon after its last frame',
      10_000,
      { spent: true, lastFrameAtMs: 8_000 },
      'audio_limit_reached',
    ],
    ['spent: not before', 9_999, { spent: true, lastFrameAtMs: 8_000 }, 'alive'],
    ['spent: not while it waits for its final', 20_000, { spent: true, busy: true }, 'alive'],
    ['slow when events lie unread', 31_000, { unreadSinceMs: 1_000, busy: true }, 'slow_consumer'],
  ] as const)('is %s', (_name, atMs, changes, expected) => {
    expect(verdict(atMs, changes)).toBe(expected)
  })

  it('pings every 15 s and gives up at the third due ping with two unanswered', () => {
    const client = liveness({ busy: true })
    const verdicts = []
    for (let nowMs = 1_000; nowMs <= 45_000; nowMs += 1_000) {
      const next = judge(client, nowMs, settings)
      if (next === 'ping') notePing(client, nowMs)
      if (next !== 'alive') verdicts.push([nowMs, next])
    }
    expect(verdicts).toEqual([
      [15_000, 'ping'],
      [30_000, 'ping'],
      [45_000, 'client_vanished'],
    ])
  })

  it('counts nothing as missed while we do not read', () => {
    const client = liveness({ paused: true })
    for (let nowMs = 15_000; nowMs <= 120_000; nowMs += 15_000) {
      expect(judge(client, nowMs, settings)).toBe('ping')
      notePing(client, nowMs)
    }
  })

  it('takes any frame as proof that the client is there', () => {
    const client = liveness()
    notePing(client, 15_000)
    notePing(client, 30_000)
    noteFrame(client, 44_000)
    expect(judge(client, 45_000, settings)).toBe('ping')
  })
})
