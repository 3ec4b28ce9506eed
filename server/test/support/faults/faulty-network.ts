// A real TCP proxy in front of the real service that behaves like a bad network: it refuses, cuts, stalls, delays or truncates.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface FaultyNetwork {
  readonly port: number
  /** Where connections lead. Set it when the service is up. */
  target: number
  /** New connections are reset at once, as by a machine where nobody listens. */
  isRefusing: boolean
  /** What is sent from now on arrives later, both ways; and what the service answers, later still. */
  delayMs: number
  answerDelayMs: number
  /** After this many more bytes towards the service, the connection is cut in the middle of whatever it carries. */
  cutAfterBytes: number
  /** One bit of the next bytes towards the service is changed, as no checksum of TCP notices it. */
  isCorrupting: boolean
  /** Connections so far. */
  readonly connections: number
  /** Resets every connection. Returns how many there were. */
  cut(): number
  /** Nothing arrives any more, and no connection is closed, as with an unplugged cable. Ends with release(). */
  stall(): void
  release(): void
  close(): Promise<void>
}

export async function startFaultyNetwork(): Promise<FaultyNetwork> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isStalled = false
  const server = createServer(client => {
    network.connections += 1
    if (network.isRefusing) return void client.resetAndDestroy()
    const service = connect(network.target, '127.0.0.1')
    const pair = [client, service] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      service.destroy()
    }
    forward(client, service, true, end)
    forward(service, client, false, end)
  })

  function corruptOnce(bytes: Buffer): void {
    if (!network.isCorrupting || bytes.length === 0) return
    network.isCorrupting = false
    bytes[bytes.length - 1]! ^= 1
  }

  function forward(from: Socket, to: Socket, isUpstream: boolean, end: () => void): void {
    from.on('data', chunk => {
      const passed = isUpstream ? chunk.subarray(0, network.cutAfterBytes) : chunk
      if (isUpstream) network.cutAfterBytes -= chunk.length
      const isCut = passed.length < chunk.length
      if (isUpstream) corruptOnce(passed)
      const delayMs = network.delayMs + (isUpstream ? 0 : network.answerDelayMs)
      setTimeout(() => {
        if (isStalled || to.destroyed) return
        to.write(passed)
        if (isCut) end()
      }, delayMs)
      if (isCut) network.cutAfterBytes = Number.POSITIVE_INFINITY
    })
    // A stalled network tells nobody about ends either.
    from.on('close', () => setTimeout(() => isStalled || end(), network.delayMs))
    from.on('error', end)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const network = {
    port: (server.address() as AddressInfo).port,
    target: 0,
    isRefusing: false,
    delayMs: 0,
    answerDelayMs: 0,
    cutAfterBytes: Number.POSITIVE_INFINITY,
    isCorrupting: false,
    connections: 0,
    cut() {
      const count = pairs.size
      for (const sockets of pairs) for (const socket of sockets) socket.resetAndDestroy()
      pairs.clear()
      return count
    },
    stall() {
      isStalled = true
    },
    release() {
      isStalled = false
      network.cut()
    },
    async close() {
      network.cut()
      server.close()
      await once(server, 'close')
    },
  }
  return network
}
