import { describe, expect, it } from 'vitest'
import {
  CONNECTION_TRANSITIONS,
  type ConnectionState,
  transition,
} from '#server/stream/connection/connection-state.js'

const STATES: readonly ConnectionState[] = [
  { name: 'opening' },
  { name: 'streaming' },
  { name: 'finishing', reason: 'audio_limit_reached' },
  { name: 'closed' },
]

describe('the state of a connection', () => {
  it('moves along its table and in no other way', () => {
    for (const from of STATES) {
      for (const to of STATES) {
        if (CONNECTION_TRANSITIONS[from.name].includes(to.name)) expect(transition(from, to)).toBe(to)
        else expect(() => transition(from, to)).toThrow(`from ${from.name} to ${to.name}`)
      }
    }
  })

  it('opens, streams, finishes and closes, in this order', () => {
    expect(CONNECTION_TRANSITIONS).toEqual({
      opening: ['streaming', 'closed'],
      streaming: ['finishing', 'closed'],
      finishing: ['closed'],
      closed: [],
    })
  })

  it('can always be closed, once', () => {
    const closable = STATES.filter(({ name }) => CONNECTION_TRANSITIONS[name].includes('closed'))
    expect(closable.map(({ name }) => name)).toEqual(['opening', 'streaming', 'finishing'])
  })
})
