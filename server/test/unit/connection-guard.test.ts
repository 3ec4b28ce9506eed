import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type ConnectionGuard,
  type GuardOptions,
  guardConnections,
} from '#server/network/connection-guard.js'

const PIECE = Buffer.alloc(64 * 1024)
const PIECES = 1_000
const MANY = { maxConnections: 100, maxConnectionsPerAddress: 100 }

let server: Server
let guard: ConnectionGuard
const clients: Socket[] = []

async function serve(options: Partial<GuardOptions>): Promise<void> {
  server = createServer((request, response) => {
    if (request.url === '/large') Readable.from(Array(PIECES).fill(PIECE)).pipe(response)
    else response.end('small')
  })
  guard = guardConnections(server, {
    limits: MANY,
    isTrustedProxy: () => false,
    monotonicMs: () => performance.now(),
    ...options,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

/** Whether the server keeps the connection. */
async function isKept(): Promise<boolean> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  clients.push(client)
  client.on('error', () => undefined)
  client.write('GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const answered = once(client, 'data').then(() => true)
  return Promise.race([answered, once(client, 'close').then(() => false)]).catch(() => false)
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  guard.stop()
  server.close()
  await once(server, 'close')
})

describe('the guard of network connections', () => {
  it('keeps so many of one address, and takes another when one has gone', async () => {
    await serve({ limits: { ...MANY, maxConnectionsPerAddress: 2 } })
    expect([await isKept(), await isKept(), await isKept()]).toEqual([true, true, false])
    clients[0]!.destroy()
    await expect.poll(isKept).toBe(true)
  })

  it('keeps so many in all, of a trusted proxy too', async () => {
    const limits = { maxConnections: 3, maxConnectionsPerAddress: 1 }
    await serve({ limits, isTrustedProxy: () => true })
    expect([await isKept(), await isKept(), await isKept(), await isKept()]).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  it('drops a client that does not take its answer, and keeps one that takes it slowly but steadily', async () => {
    await serve({ stallTimeoutMs: 1_000 })
    const { port } = server.address() as AddressInfo
    const ask = () => {
      const client = connect(port, '127.0.0.1')
      clients.push(client)
      client.on('error', () => undefined)
      client.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
      return client
    }
    const stalled = ask()
    stalled.pause()
    const steady = ask()
    let isSteadyClosed = false
    steady.on('close', () => {
      isSteadyClosed = true
    })
    steady.on('data', () => {
      steady.pause()
      setTimeout(() => steady.resume(), 10)
    })
    await expect.poll(() => openConnections()).toBe(1)
    expect(isSteadyClosed).toBe(false)
  })
})

function openConnections(): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}
