// A real TCP proxy in front of the real service that behaves like a bad network: it refuses, cuts, stalls, delays or truncates.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

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
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return new FaultyProxy(server)
}

class FaultyProxy implements FaultyNetwork {
  readonly port: number
  target = 0
  isRefusing = false
  delayMs = 0
  answerDelayMs = 0
  cutAfterBytes = Number.POSITIVE_INFINITY
  isCorrupting = false
  connections = 0
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #isStalled = false

  constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('connection', client => this.#accept(client))
  }

  cut(): number {
    const count = this.#pairs.size
    for (const sockets of this.#pairs) for (const socket of sockets) socket.resetAndDestroy()
    this.#pairs.clear()
    return count
  }

  stall(): void {
    this.#isStalled = true
  }

  release(): void {
    this.#isStalled = false
    this.cut()
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(client: Socket): void {
    this.connections += 1
    if (this.isRefusing) return void client.resetAndDestroy()
    const service = connect(this.target, '127.0.0.1')
    const pair = [client, service] as const
    this.#pairs.add(pair)
    const end = () => {
      this.#pairs.delete(pair)
      client.destroy()
      service.destroy()
    }
    this.#forward(client, service, true, end)
    this.#forward(service, client, false, end)
  }

  #forward(from: Socket, to: Socket, isUpstream: boolean, end: () => void): void {
    from.on('data', chunk => {
      const passed = isUpstream ? chunk.subarray(0, this.cutAfterBytes) : chunk
      if (isUpstream) this.cutAfterBytes -= chunk.length
      const isCut = passed.length < chunk.length
      if (isUpstream) this.#corruptOnce(passed)
      const delayMs = this.delayMs + (isUpstream ? 0 : this.answerDelayMs)
      setTimeout(() => {
        if (this.#isStalled || to.destroyed) return
        to.write(passed)
        if (isCut) end()
      }, delayMs)
      if (isCut) this.cutAfterBytes = Number.POSITIVE_INFINITY
    })
    // A stalled network tells nobody about ends either.
    from.on('close', () => setTimeout(() => this.#isStalled || end(), this.delayMs))
    from.on('error', end)
  }

  #corruptOnce(bytes: Buffer): void {
    if (!this.isCorrupting || bytes.length === 0) return
    this.isCorrupting = false
    bytes[bytes.length - 1]! ^= 1
  }
}
