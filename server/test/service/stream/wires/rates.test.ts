// How many streams an account may create per minute, over all nodes that serve it.

import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OpenTestDatabase, openTestDatabase } from '../../../support/database/database.ts'
import { ScriptedRecogniser } from '../../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../../support/service/customer.ts'
import { type ScriptedService, startScriptedService } from '../../../support/service/scripted-service.ts'
import { connectForeign, type ForeignCall, refusalOf } from '../../../support/streams/foreign-clients.ts'

let database: OpenTestDatabase
let nodes: ScriptedService[]
beforeAll(async () => {
  database = await openTestDatabase()
  const start = () =>
    startScriptedService({
      recogniser: new ScriptedRecogniser(),
      database,
      env: { SAUTI_SESSION_CREATIONS_PER_MINUTE: '3' },
    })
  nodes = [await start(), await start()]
})
afterAll(async () => {
  for (const node of nodes) await node.stop()
  await database.close()
})

const WIRES: readonly [string, (account: Customer) => ForeignCall][] = [
  [
    'Deepgram',
    ({ key }) => ({
      path: '/v1/listen?model=svc-asr-kikuyu-v1&encoding=mulaw',
      headers: { authorization: `Token ${key}` },
    }),
  ],
  [
    'OpenAI',
    ({ key }) => ({
      path: '/v1/realtime?model=svc-asr-kikuyu-v1',
      headers: { authorization: `Bearer ${key}` },
    }),
  ],
]

it.each(WIRES)('on the wire of %s, other nodes count', async (_, callOf) => {
  const [first, second] = nodes as [ScriptedService, ScriptedService]
  const account = await first.openAccount(600, 100)
  const call = callOf(account)
  for (const node of [first, first, second]) {
    const socket = connectForeign(node, call)
    await once(socket, 'open')
    socket.terminate()
  }
  for (const node of nodes) await node.sharedRates.exchange()
  const { status, headers } = await refusalOf(second, call)
  expect(status).toBe(429)
  // Until the oldest of the three leaves the window. For a session that is still open the wait would be shorter.
  expect(Number(headers['retry-after'])).toBeGreaterThan(10)
})
