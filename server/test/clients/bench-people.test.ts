// The speakers of the benches: a measurement holds what happened while it ran. When all left, they flushed at once, and their waits stood in p99.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { People } from '../../../bench/dist/end-to-end/people.js'

it('does not count the finals of those who leave', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  const speaks = new Promise<void>(resolve => {
    server.on('connection', socket => {
      socket.send('{"type":"ready"}')
      socket.on('message', (_, isBinary) => (isBinary ? resolve() : socket.send('{"type":"final"}')))
    })
  })
  await once(server, 'listening')
  const people = new People({
    ...{ name: 'an answer to everything', readyMs: 0, readyCpuMs: 0 },
    address: async () => ({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, protocols: [] }),
    cpuMs: () => ({ front: 0, engines: 0 }),
    memoryMb: () => 0,
    stop: async () => undefined,
  })
  await people.arriveOne()
  const { waits } = await people.measure(speaks)
  await people.leave()
  expect(waits).toEqual([])
  server.close()
})
