import type { FinalEvent } from '@sauti/protocol/stream'
import { expect, it } from 'vitest'
import { Replies } from '#sdk/live/replies.js'

const final: FinalEvent = {
  type: 'final',
  text: 'wega',
  utterance: 1,
  words: [],
  audio_ms: 1000,
  billable_ms: 1000,
  remaining_ms: 0,
}

it('a final that silence caused does not answer a flush', async () => {
  const replies = new Replies()
  const answer = replies.expect('final', Promise.resolve(0))
  replies.receive({ ...final, cause: 'endpoint' })
  expect(replies.waiting).toBe(true)
  replies.receive({ ...final, utterance: 2 })
  expect(await answer).toMatchObject({ utterance: 2 })
})
