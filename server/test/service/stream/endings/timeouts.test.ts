import { afterEach, describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../support/service/scripted-service.ts'
import { RawClient, TEXT } from '../../../support/streams/raw-client.ts'
import { connect, expectClosed, expectSettled, GRANTED_SECONDS, speak } from './endings.ts'

const recogniser = new ScriptedRecogniser()
const env = {
  SAUTI_IDLE_TIMEOUT_SECONDS: '1.5',
  SAUTI_PING_INTERVAL_SECONDS: '0.4',
  SAUTI_SESSION_TIME_FACTOR: '1',
  SAUTI_SESSION_TIME_EXTRA_SECONDS: '1',
}
const service = await openScriptedService({ recogniser, env })
afterEach(() => recogniser.setStalled(false))

describe('ended by a clock', () => {
  it('idle: 4408, completed, billed', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    await expectClosed(client, 4408, 'idle_timeout')
    await expectSettled(service, account, 'completed', 2000)
  })

  it('a bare config, or a ping, keeps it from being idle', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    for (let count = 0; count < 30; count++) {
      await new Promise(resolve => setTimeout(resolve, 100))
      if (count % 2) client.config()
      else client.socket.ping()
    }
    expect(client.errorCodes).toEqual([])
    await client.close()
    await expectSettled(service, account, 'completed', 2000)
  })

  it('a client that waits for its final is not idle', async () => {
    const { account, client } = await connect(service)
    await speak(client)
    recogniser.setStalled(true)
    client.flush()
    await new Promise(resolve => setTimeout(resolve, 3000))
    recogniser.setStalled(false)
    await client.next('final')
    await client.close()
    await expectSettled(service, account, 'completed', 2000)
  })

  it('the wall clock: 4408, completed, billed', async () => {
    const { account, client } = await connect(service, 1)
    client.silence(8000)
    const timer = setInterval(() => client.config(), 100)
    await expectClosed(client, 4408, 'session_timeout')
    clearInterval(timer)
    await expectSettled(service, account, 'completed', 1000, 500)
  })

  it('half-open: two missed pings end it, completed, billed', async () => {
    const account = await service.openAccount(GRANTED_SECONDS)
    const client = await RawClient.ready(service.port, await service.createSession(account), service.ca)
    client.answersPings = false
    client.send({ opcode: 2, payload: Buffer.alloc(48_000) })
    client.send({ opcode: TEXT, payload: '{"type":"flush"}' })
    recogniser.setStalled(true)
    await client.closed
    expect(client.frames.filter(frame => frame.opcode === 9).length).toBeGreaterThanOrEqual(2)
    await expectSettled(service, account, 'completed', 2000)
  })
})
