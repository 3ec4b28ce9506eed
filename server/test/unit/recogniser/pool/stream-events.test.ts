import { describe, expect, it } from 'vitest'
import { StreamEvents } from '#server/recogniser/pool/stream-events.js'
import type { RecogniserEvent } from '#server/recogniser/port.js'

const delta = (text: string, append: string): RecogniserEvent => ({
  type: 'delta',
  text,
  append,
  words: [],
  audioMs: 0,
})

function listenTo(events: StreamEvents): unknown[] {
  const heard: unknown[] = []
  events.listen({
    onEvent: event => void heard.push(event),
    onLost: error => void heard.push(error),
  })
  return heard
}

describe('the events of a stream', () => {
  it('reach the listener as they happen, earlier ones first', () => {
    const events = new StreamEvents()
    events.emit(delta('a', 'a'))
    const heard = listenTo(events)
    events.emit(delta('ab', 'b'))
    events.emit({ type: 'reset' })
    expect(heard).toEqual([delta('a', 'a'), delta('ab', 'b'), { type: 'reset' }])
  })

  it.each(['before', 'after'])('tell the listener once that the engine was lost, %s it listened', when => {
    const events = new StreamEvents()
    const lost = new Error('lost')
    if (when === 'before') events.fail(lost)
    const heard = listenTo(events)
    events.fail(lost)
    events.emit({ type: 'reset' })
    expect(heard).toEqual([lost])
  })

  it('end with the stream', () => {
    const events = new StreamEvents()
    const heard = listenTo(events)
    events.end()
    events.emit({ type: 'reset' })
    events.fail(new Error('too late'))
    expect(heard).toEqual([])
  })

  it('that came before a listener are dropped when the stream ends', () => {
    const events = new StreamEvents()
    events.emit({ type: 'reset' })
    events.end()
    expect(listenTo(events)).toEqual([])
  })
})
