import type { DeltaEvent, FinalEvent, ServerEvent } from '@sauti/protocol/stream'
import { describe, expect, it } from 'vitest'
import type { InterimEvent } from '#server/stream/dialect.js'
import { UNSENT_HIGH_BYTES } from '#server/stream/settings.js'
import { Outbox } from '#server/stream/socket/outbox.js'
import { sautiDialect } from '#server/stream/wires/sauti/dialect.js'

const MAX_WAITING_BYTES = 1_000_000

/** A wire whose far end reads only when told to. */
class SlowWire {
  bufferedAmount = 0
  readonly sent: ServerEvent[] = []
  #callbacks: (() => void)[] = []

  send(text: string, sent: () => void): void {
    this.sent.push(JSON.parse(text))
    this.bufferedAmount += text.length
    this.#callbacks.push(sent)
  }

  clog(): void {
    this.bufferedAmount = UNSENT_HIGH_BYTES
    this.#callbacks.push(() => undefined)
  }

  read(outboxDrain = true): void {
    this.bufferedAmount = 0
    const callbacks = this.#callbacks
    this.#callbacks = []
    if (outboxDrain) for (const callback of callbacks) callback()
  }
}

/** As our own protocol encodes it. */
function delta(text: string, append: string, utterance = 1): DeltaEvent {
  return { type: 'delta', text, append, utterance, audio_ms: 0 }
}

/** With the words, which our own protocol leaves out. */
function interim(...told: Parameters<typeof delta>): InterimEvent {
  return { ...delta(...told), words: [{ text: told[0], start_ms: 0, end_ms: 80, confidence: 1 }] }
}

function final(text: string, utterance = 1): FinalEvent {
  return { type: 'final', text, utterance, words: [], audio_ms: 0, billable_ms: 0, remaining_ms: 0 }
}

function outboxOf(sink: SlowWire, onDrained: () => void = () => undefined): Outbox {
  return new Outbox({ sink, dialect: sautiDialect, maxWaitingBytes: MAX_WAITING_BYTES, onDrained })
}

function clogged() {
  const wire = new SlowWire()
  let drained = 0
  const outbox = outboxOf(wire, () => {
    drained += 1
  })
  outbox.send(final('first'))
  wire.clog()
  return { wire, outbox, drains: () => drained }
}

describe('the outbox', () => {
  it('sends at once while the client reads', () => {
    const wire = new SlowWire()
    const outbox = outboxOf(wire)
    outbox.send(interim('a', 'a'))
    outbox.send(interim('ab', 'b'))
    expect(wire.sent).toEqual([delta('a', 'a'), delta('ab', 'b')])
    expect(outbox.isBlocked).toBe(false)
  })

  it('merges waiting deltas of an utterance into one', () => {
    const { wire, outbox, drains } = clogged()
    outbox.send(interim('a', 'a'))
    outbox.send(interim('ab', 'b'))
    outbox.send(interim('abc', 'c'))
    expect(outbox.isBlocked).toBe(true)
    wire.read()
    expect(wire.sent.slice(1)).toEqual([delta('abc', 'abc')])
    expect(outbox.isBlocked).toBe(false)
    expect(drains()).toBe(1)
  })

  it('never drops or reorders finals', () => {
    const { wire, outbox } = clogged()
    const events = [
      interim('a', 'a'),
      final('a'),
      interim('b', 'b', 2),
      interim('bc', 'c', 2),
      final('bc', 2),
      final('', 3),
    ]
    for (const event of events) outbox.send(event)
    wire.read()
    expect(wire.sent.slice(1)).toEqual([
      delta('a', 'a'),
      final('a'),
      delta('bc', 'bc', 2),
      final('bc', 2),
      final('', 3),
    ])
  })

  it('calls a client slow that leaves too much unread', () => {
    const { outbox } = clogged()
    const large = final('x'.repeat(MAX_WAITING_BYTES / 2))
    outbox.send(large)
    expect(() => outbox.send(large)).toThrow(expect.objectContaining({ code: 'slow_consumer' }))
  })

  it('allows a client to leave exactly as much unread as it may', () => {
    const { outbox } = clogged()
    const room = MAX_WAITING_BYTES - JSON.stringify(final('')).length
    outbox.send(final('x'.repeat(room)))
    expect(() => outbox.send(final(''))).toThrow(expect.objectContaining({ code: 'slow_consumer' }))
  })

  it('sends the last event after everything that waits', () => {
    const { wire, outbox } = clogged()
    outbox.send(final('waiting'))
    outbox.sendLast(final('last'))
    expect(wire.sent.slice(1)).toEqual([final('waiting'), final('last')])
  })
})

describe('what waits in the outbox', () => {
  const half = 'x'.repeat(MAX_WAITING_BYTES / 2)

  it('is a text of the dialect like any event', () => {
    const { wire, outbox } = clogged()
    outbox.send(final('a'))
    outbox.send({ type: 'reply', write: () => '{"type":"pong"}' })
    wire.read()
    expect(wire.sent.slice(1)).toEqual([final('a'), { type: 'pong' }])
  })

  it('counts a text of the dialect by what it says now, and sends what it says then', () => {
    const { wire, outbox } = clogged()
    let text = half
    const reply = { type: 'reply', write: () => JSON.stringify({ text }) } as const
    outbox.send(reply)
    expect(() => outbox.send(reply)).toThrow(expect.objectContaining({ code: 'slow_consumer' }))
    text = 'short'
    wire.read()
    expect(wire.sent.slice(1)).toEqual([{ text }, { text }])
  })

  it('counts as much as it is now, however many deltas were merged into it', () => {
    const { outbox } = clogged()
    outbox.send(interim('', half))
    for (let round = 0; round < 10; round++) outbox.send(interim('', ''))
    outbox.send(interim('', half.slice(1_000)))
    expect(() => outbox.send(interim('', half))).toThrow(expect.objectContaining({ code: 'slow_consumer' }))
  })

  it('counts no more once the client has read it', () => {
    const { wire, outbox } = clogged()
    for (let round = 0; round < 10; round++) {
      outbox.send(final(half))
      wire.read()
      wire.clog()
    }
    expect(wire.sent).toHaveLength(11)
  })

  it('is told to be gone when all of it is, and only then', () => {
    const { wire, outbox, drains } = clogged()
    outbox.send(final('x'.repeat(UNSENT_HIGH_BYTES)))
    outbox.send(final('b'))
    wire.read()
    expect([outbox.isBlocked, drains()]).toEqual([true, 0])
    wire.read()
    expect([outbox.isBlocked, drains()]).toEqual([false, 1])
    outbox.send(final('c'))
    wire.read()
    expect(drains()).toBe(1)
  })

  it('is merged only with a delta of its own utterance', () => {
    const { wire, outbox } = clogged()
    const events = [interim('a', 'a', 1), interim('b', 'b', 2), final('b', 2), interim('c', 'c', 2)]
    for (const event of events) outbox.send(event)
    wire.read()
    expect(wire.sent.slice(1)).toEqual([
      delta('a', 'a', 1),
      delta('b', 'b', 2),
      final('b', 2),
      delta('c', 'c', 2),
    ])
  })
})
