import { describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../support/service/scripted-service.ts'
import { RawClient, TEXT } from '../../../support/streams/raw-client.ts'
import { StreamClient } from '../../../support/streams/stream-client.ts'
import { connect, expectClosed, expectSettled, GRANTED_SECONDS, speak } from './endings.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })

describe('ended for what the client sent', () => {
  it('a frame too large: 1009, failed, billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    client.audio(Buffer.alloc(65_537))
    await expectClosed(client, 1009, 'frame_too_large')
    await expectSettled(service, account, 'failed', 2000)
  })

  it('a text too large: 1009, failed, billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    client.text(' '.repeat(16_385))
    await expectClosed(client, 1009, 'message_too_large')
    await expectSettled(service, account, 'failed', 2000)
  })

  it('the fifth invalid message: 4400, failed, billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    for (let count = 0; count < 5; count++) client.text('nonsense')
    await expectClosed(client, 4400, 'too_many_invalid_messages')
    expect(client.errorCodes).toEqual([...Array(4).fill('invalid_json'), 'too_many_invalid_messages'])
    await expectSettled(service, account, 'failed', 2000)
  })

  it('the tenth audio before ready: 4400, failed, nothing accepted', async () => {
    const account = await service.openAccount(GRANTED_SECONDS)
    const open = recogniser.holdOpening()
    const client = new StreamClient(await service.createSession(account), service.ca)
    await client.next('status')
    for (let count = 0; count < 10; count++) client.silence(1600)
    await expectClosed(client, 4400, 'too_many_invalid_messages')
    expect(client.errorCodes).toEqual([...Array(9).fill('audio_before_ready'), 'too_many_invalid_messages'])
    open()
    await expectSettled(service, account, 'failed', 0, 0)
    expect(recogniser.openStreams).toBe(0)
  })

  it('broken UTF-8: 1007, failed, billed', async () => {
    const account = await service.openAccount(GRANTED_SECONDS)
    const client = await RawClient.ready(service.port, await service.createSession(account), service.ca)
    client.send(
      { opcode: 2, payload: Buffer.alloc(48_000) },
      { opcode: TEXT, payload: Buffer.from([0x22, 0xc3, 0x28]) },
    )
    await client.closed
    expect(client.closing).toEqual({ code: 1007, reason: 'invalid_utf8' })
    expect(client.events.at(-1)).toMatchObject({ type: 'error', code: 'invalid_utf8', fatal: true })
    await expectSettled(service, account, 'failed', 2000)
  })
})
