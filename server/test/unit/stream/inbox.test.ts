import { describe, expect, it } from 'vitest'
import { Inbox } from '#server/stream/inbox.js'

function reader(inbox: Inbox<string, string>) {
  const iterator = inbox[Symbol.asyncIterator]()
  return async (count: number) => {
    const taken: string[] = []
    while (taken.length < count) taken.push((await iterator.next()).value)
    return taken
  }
}

describe('the inbox', () => {
  it('gives frames in their order, and signals first', async () => {
    const inbox = new Inbox<string, string>()
    for (const frame of ['a', 'b']) inbox.putFrame(frame)
    inbox.putSignal('!')
    expect(await reader(inbox)(3)).toEqual(['!', 'a', 'b'])
  })

  it('wakes a waiting reader', async () => {
    const inbox = new Inbox<string, string>()
    const waiting = reader(inbox)(2)
    setTimeout(() => inbox.putFrame('late'), 5)
    setTimeout(() => inbox.putSignal('later'), 10)
    expect(await waiting).toEqual(['late', 'later'])
  })

  it('lets signals through while frames are held, and loses none of them', async () => {
    const inbox = new Inbox<string, string>()
    const take = reader(inbox)
    inbox.hold()
    inbox.putFrame('held')
    const waiting = take(1)
    setTimeout(() => inbox.putSignal('!'), 5)
    expect(await waiting).toEqual(['!'])
    const next = take(1)
    setTimeout(() => inbox.release(), 5)
    expect(await next).toEqual(['held'])
  })

  it('keeps the order of many', async () => {
    const inbox = new Inbox<string, string>()
    const sent = Array.from({ length: 5000 }, (_, index) => String(index))
    for (const frame of sent) inbox.putFrame(frame)
    expect(await reader(inbox)(sent.length)).toEqual(sent)
  })
})
