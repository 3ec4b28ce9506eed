// Load on an HTTPS server: connections that are kept, each sends its next request when the answer to the last has come. The client
// writes bytes and counts bytes, because one that parses like a browser would be slower than the server and hide it.

import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'

export interface Target {
  readonly port: number
  readonly ca: string
}

export interface Figures {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Every answer must have this status, or the figures would be of something else. */
export interface Load {
  readonly connections: number
  readonly seconds: number
  readonly status: number
  request(): string
}

export async function applyLoad(target: Target, load: Load): Promise<Figures> {
  const clients = await Promise.all(Array.from({ length: load.connections }, () => openClient(target)))
  const start = performance.now()
  const until = start + load.seconds * 1000
  const latencies = (await Promise.all(clients.map(client => keepAsking(client, load, until)))).flat()
  const elapsedMs = performance.now() - start
  for (const client of clients) client.close()
  latencies.sort((a, b) => a - b)
  const quantile = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? Number.NaN
  return { perSecond: (latencies.length / elapsedMs) * 1000, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

async function keepAsking(client: Client, { status, request }: Load, until: number): Promise<number[]> {
  const latencies: number[] = []
  for (let now = performance.now(); now < until; ) {
    const answered = await client.ask(request())
    if (answered.status !== status)
      throw new Error(`${answered.status} instead of ${status}: ${answered.text}`)
    const end = performance.now()
    latencies.push(end - now)
    now = end
  }
  return latencies
}

interface Client {
  ask(request: string): Promise<{ status: number; text: string }>
  close(): void
}

async function openClient({ port, ca }: Target): Promise<Client> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' })
  socket.setNoDelay(true)
  await once(socket, 'secureConnect')
  return {
    ask(request) {
      socket.write(request)
      return readAnswer(socket)
    },
    close: () => socket.destroy(),
  }
}

function readAnswer(socket: TLSSocket): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let text = ''
    const take = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (!isComplete(text)) return
      socket.off('data', take)
      socket.off('close', fail)
      resolve({ status: Number(text.slice(9, 12)), text })
    }
    const fail = () => reject(new Error(`the server closed the connection: ${text}`))
    socket.on('data', take)
    socket.once('close', fail)
  })
}

function isComplete(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return false
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, headEnd + 2))?.[1]
  if (length === undefined) throw new Error('an answer without Content-Length')
  return text.length >= headEnd + 4 + Number(length)
}
