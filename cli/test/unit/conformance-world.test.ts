// What a conformance run counts and ends, whatever the order of the answers.

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { World } from '#cli/conformance/world.js'

const SESSION = JSON.stringify({
  id: 'one',
  websocket_url: 'ws://127.0.0.1/',
  websocket_protocols: ['a', 'b'],
})

const orders: ServerResponse[] = []
const deleted: string[] = []
const server = createServer((request, response) => {
  request.resume()
  if (request.method === 'POST') orders.push(response)
  else deleted.push(request.url!)
  if (request.method !== 'POST') response.end('{}')
}).listen(0, '127.0.0.1')
afterAll(() => void server.close())

it('counts a session once when the replayed answer arrives before the first one', async () => {
  if (!server.listening) await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const world = new World({ url, key: 'k', patienceMs: 1_000, speech: {} }, () => undefined)
  await world.play({
    async play() {
      const first = world.orderPatiently({})
      await expect.poll(() => orders.length).toBe(1)
      const second = world.orderPatiently({})
      await expect.poll(() => orders.length).toBe(2)
      orders[1]!.setHeader('idempotent-replayed', 'true').end(SESSION)
      await second
      orders[0]!.end(SESSION)
      await first
    },
  })
  expect(world.sessionsCreated).toBe(1)
  expect(deleted).toEqual(['/v1/asr/sessions/one'])
})
