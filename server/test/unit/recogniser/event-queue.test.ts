import { describe, expect, it } from 'vitest'
import { EventQueue } from '#server/recogniser/event-queue.js'
import type { RecogniserEvent } from '#server/recogniser/port.js'

const delta = (text: string, append: string): RecogniserEvent => ({ type: 'delta', text, append, audioMs: 0 })

function listenTo(queue: EventQueue): unknown[] {
  const heard: unknown[] = []
  queue.listen({
    onEvent: event => void heard.push(event),
    onLost: error => void heard.push(error),
  })
  return heard
}

describe('the events of a stream', () => {
  it('reach a listener as they happen, those before it first', () => {
    const queue = new EventQueue()
    queue.put(delta('a', 'a'))
    const heard = listenTo(queue)
    queue.put(delta('ab', 'b'))
    queue.put({ type: 'reset' })
    expect(heard).toEqual([delta('a', 'a'), delta('ab', 'b'), { type: 'reset' }])
  })

  it.each(['before', 'after'])('tell a listener once that the engine was lost, %s it listened', when => {
    const queue = new EventQueue()
    const lost = new Error('lost')
    if (when === 'before') queue.fail(lost)
    const heard = listenTo(queue)
    queue.fail(lost)
    queue.put({ type: 'reset' })
    expect(heard).toEqual([lost])
  })

  it('end with the stream', () => {
    const queue = new EventQueue()
    const heard = listenTo(queue)
    queue.end()
    queue.put({ type: 'reset' })
    queue.fail(new Error('too late'))
    expect(heard).toEqual([])
  })

  it('wait for a slow reader, deltas melted into one', async () => {
    const queue = new EventQueue()
    queue.put(delta('a', 'a'))
    queue.put(delta('ab', 'b'))
    queue.put({ type: 'progress' })
    queue.fail(new Error('lost'))
    const read: RecogniserEvent[] = []
    const reading = (async () => {
      for await (const event of queue) read.push(event)
    })()
    await expect(reading).rejects.toThrow('lost')
    expect(read).toEqual([delta('ab', 'ab'), { type: 'progress' }])
  })
})
