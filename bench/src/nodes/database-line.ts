// The connection between a node and its database servers, which can be cut: a relay for each server, so that nothing of the node or of
// PostgreSQL is touched.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class DatabaseLine {
  /** The address for the node. */
  readonly url: string
  readonly #servers: readonly Server[]
  readonly #sockets: Set<Socket>
  #isCut = false

  private constructor(url: string, servers: readonly Server[], sockets: Set<Socket>) {
    this.url = url
    this.#servers = servers
    this.#sockets = sockets
  }

  static async open(address: string): Promise<DatabaseLine> {
    const hosts = /@([^/]+)\//.exec(address)![1]!
    const sockets = new Set<Socket>()
    const isCut = () => line.#isCut
    const servers = await Promise.all(hosts.split(',').map(host => relay(host, sockets, isCut)))
    const ports = servers.map(server => `127.0.0.1:${(server.address() as AddressInfo).port}`)
    const line = new DatabaseLine(address.replace(hosts, ports.join(',')), servers, sockets)
    return line
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  mend(): void {
    this.#isCut = false
  }

  close(): void {
    this.cut()
    for (const server of this.#servers) server.close()
  }
}

async function relay(host: string, sockets: Set<Socket>, isCut: () => boolean): Promise<Server> {
  const [name, port] = host.split(':')
  const server = createServer(socket => {
    if (isCut()) {
      socket.destroy()
      return
    }
    const other = connect(Number(port), name)
    for (const [one, peer] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => peer.destroy())
      one.on('close', () => {
        sockets.delete(one)
        peer.destroy()
      })
      one.pipe(peer)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
