import { describe, expect, it } from 'vitest'
import { Inbox } from '#server/stream/socket/inbox.js'

/** An inbox and what was handled so far. */
function watched(react: (input: string, inbox: Inbox<string, string>) => void = () => undefined) {
  const handled: string[] = []
  const inbox: Inbox<string, string> = new Inbox(input => {
    handled.push(input)
    react(input, inbox)
  })
  return { inbox, handled }
}

describe('the inbox', () => {
  it('hands on what comes at once, in its order', () => {
    const { inbox, handled } = watched()
    inbox.putFrame('a')
    expect(handled).toEqual(['a'])
    inbox.putSignal('!')
    inbox.putFrame('b')
    expect(handled).toEqual(['a', '!', 'b'])
  })

  it('handles one at a time: what comes meanwhile comes after, signals first', () => {
    const { inbox, handled } = watched((input, self) => {
      if (input !== 'a') return
      self.putFrame('b')
      self.putFrame('c')
      self.putSignal('!')
      expect(handled).toEqual(['a'])
    })
    inbox.putFrame('a')
    expect(handled).toEqual(['a', '!', 'b', 'c'])
  })

  it('lets signals through while frames are held, and loses none of them', () => {
    const { inbox, handled } = watched()
    inbox.hold()
    inbox.putFrame('held')
    inbox.putFrame('too')
    inbox.putSignal('!')
    expect(handled).toEqual(['!'])
    inbox.release()
    expect(handled).toEqual(['!', 'held', 'too'])
  })

  it('can be held in the middle of what was released', () => {
    const { inbox, handled } = watched((input, self) => {
      if (input === 'a') self.hold()
    })
    inbox.hold()
    for (const frame of ['a', 'b']) inbox.putFrame(frame)
    inbox.release()
    expect(handled).toEqual(['a'])
    inbox.release()
    expect(handled).toEqual(['a', 'b'])
  })

  it('can be released while a signal is handled', () => {
    const { inbox, handled } = watched((input, self) => {
      if (input !== 'go') return
      self.release()
      expect(handled).toEqual(['go'])
    })
    inbox.hold()
    for (const frame of ['a', 'b']) inbox.putFrame(frame)
    inbox.putSignal('go')
    expect(handled).toEqual(['go', 'a', 'b'])
  })

  it('keeps the order of many', () => {
    const { inbox, handled } = watched()
    const sent = Array.from({ length: 5000 }, (_, index) => String(index))
    inbox.hold()
    for (const frame of sent) inbox.putFrame(frame)
    inbox.release()
    expect(handled).toEqual(sent)
  })
})
