import { describe, expect, it } from 'vitest'
import { sautiDialect } from '#server/stream/wires/sauti/dialect.js'

describe('our own protocol', () => {
  it('takes messages as text and audio as bytes', () => {
    const bytes = Buffer.from([1, 2])
    expect(sautiDialect.parse(bytes, true)).toEqual([{ type: 'audio', bytes }])
    expect(sautiDialect.parse(Buffer.alloc(0), true)).toEqual([])
    expect(sautiDialect.parse(Buffer.from('{"type":"flush"}'), false)).toEqual([{ type: 'flush' }])
  })

  it('refuses a message that is not valid, with the reason', () => {
    expect(() => sautiDialect.parse(Buffer.from('{"type":"dance"}'), false)).toThrow(
      expect.objectContaining({ code: 'unknown_message_type' }),
    )
  })

  it('keeps words out of deltas, and never tells that it is finished', () => {
    const delta = { type: 'delta', text: 'a', append: 'a', utterance: 0, audio_ms: 10 } as const
    expect(sautiDialect.encode({ ...delta, words: [] })).toEqual([JSON.stringify(delta)])
    const final = { type: 'final', text: 'a', utterance: 0, words: [], audio_ms: 10 } as const
    const bill = { billable_ms: 1_000, remaining_ms: 0 }
    expect(sautiDialect.encode({ ...final, ...bill })).toEqual([JSON.stringify({ ...final, ...bill })])
    const ack = { type: 'reset_ack', utterance: 1 } as const
    expect(sautiDialect.encode(ack)).toEqual([JSON.stringify(ack)])
    const finished = { type: 'finished', session_id: 's', audio_ms: 0, billable_ms: 0 } as const
    expect(sautiDialect.encode(finished)).toEqual([])
  })

  it('takes no audio before ready, says nothing first and asks for nothing', () => {
    const { takesEarlyAudio, interimWords, greeting, firstRequests, maxTextBytes } = sautiDialect
    expect({ takesEarlyAudio, interimWords, greeting, firstRequests, maxTextBytes }).toEqual({
      takesEarlyAudio: false,
      interimWords: false,
      greeting: [],
      firstRequests: [],
      maxTextBytes: 16_384,
    })
  })

  it('closes with the code of the error, or normally', () => {
    expect(sautiDialect.closeFrame(undefined)).toEqual({ code: 1000, reason: '' })
    expect(sautiDialect.closeFrame('idle_timeout')).toEqual({ code: 4408, reason: 'idle_timeout' })
  })
})
