// How many streams one address may have open: counted by the client's own address, behind a proxy too.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'
import { RawClient } from '../../support/streams/raw-client.ts'

let service: ScriptedService
beforeAll(async () => {
  const env = { SAUTI_MAX_CONNECTIONS_PER_ADDRESS: '2', SAUTI_TRUSTED_PROXIES: '127.0.0.1,::1' }
  service = await startScriptedService({ recogniser: new ScriptedRecogniser(), env })
})
afterAll(() => service.stop())

it('refuses a stream too many of one address with 429, and takes one of another address', async () => {
  const account = await service.openAccount(600, 10)
  const open = async (address: string) => {
    const session = await service.createSession(account, 10)
    const offer = session.websocket_protocols.join(', ')
    const client = await RawClient.handshake(
      service.port,
      service.ca,
      offer,
      `X-Forwarded-For: ${address}\r\n`,
    )
    await client.until(() => client.head !== '')
    return client
  }
  const status = ({ head }: RawClient) => Number(head.split(' ')[1])
  const first = await open('192.0.2.1')
  expect(status(first)).toBe(101)
  expect(status(await open('192.0.2.1'))).toBe(101)
  expect(status(await open('192.0.2.1'))).toBe(429)
  expect(status(await open('192.0.2.2'))).toBe(101)
  first.socket.destroy()
  await expect.poll(async () => status(await open('192.0.2.1'))).toBe(101)
})
