import { afterEach, describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../support/service/scripted-service.ts'
import { RawClient, TEXT } from '../../../support/streams/raw-client.ts'
import { StreamClient } from '../../../support/streams/stream-client.ts'
import { connect, expectClosed, expectSettled, GRANTED_SECONDS, speak } from './endings.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })

afterEach(() => recogniser.setStalled(false))

const WARNINGS = Array(4).fill({ type: 'error', code: 'invalid_json', fatal: false })
const CLOSING = { type: 'error', code: 'too_many_invalid_messages', fatal: true }

function babble(client: StreamClient, count = 5): void {
  for (let sent = 0; sent < count; sent++) client.text('nonsense')
}

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
    babble(client)
    await expectClosed(client, 4400, 'too_many_invalid_messages')
    expect(client.errorCodes).toEqual([...Array(4).fill('invalid_json'), 'too_many_invalid_messages'])
    await expectSettled(service, account, 'failed', 2000)
  })

  it('the fifth invalid message: what was said before it is finalised and told before the close', async () => {
    const { client } = await connect(service)
    await speak(client)
    babble(client)
    await expectClosed(client, 4400, 'too_many_invalid_messages')
    const told = client.events.filter(({ type }) => type === 'error' || type === 'final')
    expect(told).toMatchObject([...WARNINGS, { type: 'final', text: 'a'.repeat(15) }, CLOSING])
  })

  it('the fifth invalid message: a flush that is under way is answered, in its turn, and nothing after it', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    recogniser.setStalled(true)
    client.flush()
    babble(client)
    client.silence(1600)
    client.flush()
    await client.arrived()
    recogniser.setStalled(false)
    await expectClosed(client, 4400, 'too_many_invalid_messages')
    const told = client.events.filter(({ type }) => type === 'error' || type === 'final')
    expect(told).toMatchObject([{ type: 'final', text: 'a'.repeat(15) }, ...WARNINGS, CLOSING])
    await expectSettled(service, account, 'failed', 2000)
  })

  it('the fifth invalid message: nothing is owed where nothing was said', async () => {
    const { client } = await connect(service)
    await speak(client)
    client.flush()
    babble(client)
    await expectClosed(client, 4400, 'too_many_invalid_messages')
    expect(client.all('final')).toHaveLength(1)
  })

  it('the fifth invalid message: a recogniser that does not answer holds up the close for five seconds at most', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    recogniser.setStalled(true)
    client.flush()
    babble(client)
    const pestering = setInterval(() => client.text('nonsense'), 100)
    const sentAt = performance.now()
    await expectClosed(client, 4400, 'too_many_invalid_messages')
    clearInterval(pestering)
    expect(performance.now() - sentAt).toBeGreaterThan(4_000)
    expect(client.all('final')).toEqual([])
    await expectSettled(service, account, 'failed', 2000)
  }, 20_000)

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
