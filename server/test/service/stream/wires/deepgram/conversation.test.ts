// Deepgram's live protocol, message by message, on a recogniser that writes down what it hears: one letter for each 100 ms.

import { describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../../support/service/scripted-service.ts'
import { hearAll } from '../../../../support/streams/foreign-clients.ts'
import { open, RAW, SECOND, say } from './deepgram.ts'

const service = await openScriptedService({ recogniser: new ScriptedRecogniser() })

describe('a conversation', () => {
  it('has interim results, a final one for Finalize, and Metadata before the close', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, `${RAW}&interim_results=true`)
    const heard = hearAll(socket)
    socket.send(SECOND)
    say(socket, 'Finalize')
    socket.send(SECOND)
    say(socket, 'KeepAlive')
    say(socket, 'CloseStream')
    const { told, code } = await heard
    const finals = told.filter(message => message.is_final)
    expect(told.filter(message => message.type === 'Results' && !message.is_final).length).toBeGreaterThan(0)
    expect(finals).toMatchObject([
      { start: 0, duration: 1, speech_final: true, from_finalize: true, channel_index: [0, 1] },
      { start: 1, duration: 1, speech_final: true, from_finalize: false },
    ])
    expect(finals[0]!.channel.alternatives[0].transcript).toHaveLength(10)
    expect(told.at(-1)).toMatchObject({ type: 'Metadata', duration: 2, channels: 1 })
    expect(told.at(-1)!.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(told.at(-1)!.request_id).toBe(finals[0]!.metadata.request_id)
    expect(code).toBe(1000)
    expect(await service.ended(account)).toMatchObject({ status: 'completed', billable_ms: 2000 })
  })

  it('is silent between finals unless interim results are asked for', async () => {
    const socket = await open(service, await service.openAccount())
    const heard = hearAll(socket)
    socket.send(SECOND)
    say(socket, 'CloseStream')
    expect((await heard).told.map(({ type, is_final }) => [type, is_final])).toEqual([
      ['Results', true],
      ['Metadata', undefined],
    ])
  })

  it('has words with times in seconds and their confidence', async () => {
    const socket = await open(service, await service.openAccount())
    const heard = hearAll(socket)
    socket.send(SECOND)
    say(socket, 'CloseStream')
    const [{ channel }] = (await heard).told as [{ channel: { alternatives: [{ words: object[] }] } }]
    for (const word of channel.alternatives[0].words) {
      expect(word).toEqual({
        word: expect.any(String),
        punctuated_word: expect.any(String),
        start: expect.any(Number),
        end: expect.any(Number),
        confidence: expect.any(Number),
      })
    }
  })

  it('ends with an empty message, as older clients end it', async () => {
    const socket = await open(service, await service.openAccount())
    const heard = hearAll(socket)
    socket.send(SECOND)
    socket.send(Buffer.alloc(0))
    expect(await heard).toMatchObject({ code: 1000 })
  })
})
