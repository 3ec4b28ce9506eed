// A client that leaves while its session is being created: its reservation is released at once.

import { once } from 'node:events'
import { get } from 'node:https'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { verifyLedger } from '#server/ledger/verify.js'
import { ScriptedRecogniser } from '../../../../support/recogniser/scripted-recogniser.ts'
import { type ScriptedService, startScriptedService } from '../../../../support/service/scripted-service.ts'
import { call } from './deepgram.ts'

let service: ScriptedService
beforeAll(async () => {
  service = await startScriptedService({ recogniser: new ScriptedRecogniser() })
})
afterAll(() => service.stop())

it('gives the credit and the slot back', async () => {
  const account = await service.openAccount()
  await service.database.transaction(async tx => {
    // The creation waits for the lock on this row.
    await tx.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [account.accountId])
    await leaveDuringHandshake(call(account))
    await hasSeenEverything()
  })
  const query = 'SELECT status, ending FROM sessions WHERE account_id = $1'
  await vi.waitFor(
    async () =>
      expect(await service.database.query(query, [account.accountId])).toEqual([
        { status: 'expired', ending: 'cancelled' },
      ]),
    { timeout: 30_000 },
  )
  expect((await verifyLedger(service.database)).discrepancies).toEqual([])
})

async function leaveDuringHandshake({ path, headers = {} }: ReturnType<typeof call>): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: service.port, ca: service.ca })
  await once(socket, 'secureConnect')
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  await new Promise(resolve => socket.write(`${lines.join('\r\n')}\r\n\r\n`, resolve))
  await hasSeenEverything()
  socket.destroy()
  await once(socket, 'close')
}

/** The service reads its connections in turn: a few answers later it has read what came before. */
async function hasSeenEverything(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    const request = get({
      host: '127.0.0.1',
      port: service.port,
      ca: service.ca,
      path: '/nothing',
      agent: false,
    })
    const [answer] = await once(request, 'response')
    answer.resume()
    await once(answer, 'end')
  }
}
