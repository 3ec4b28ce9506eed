// A proxy in front of the real service that can get one thing wrong at a time. Without a fault it passes everything on as it is.

import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request as requestHttps, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly requestHeaders: IncomingHttpHeaders
  readonly requestBody: string
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

// biome-ignore lint/suspicious/noExplicitAny: a fault may turn any event into anything.
export type Loose = Record<string, any>

/** What goes wrong. Everything that is absent goes right. */
export interface Fault {
  /** Changes a request before the service sees it. */
  request?(request: {
    path: string
    headers: IncomingHttpHeaders
    body: string
  }): { body?: string; headers?: object } | undefined
  /** Changes an answer before the client sees it. */
  answer?(exchange: Exchange): void
  /** What becomes of an event; an empty list swallows it. */
  event?(event: Loose, stream: StreamMemory): readonly (Loose | Buffer | string)[]
  /** What becomes of a frame of the client; an empty list swallows it. */
  frame?(data: Buffer, isBinary: boolean, stream: StreamMemory): readonly (Buffer | string)[]
  /** Where the proxy answers a frame of the client itself. */
  reply?(data: Buffer, isBinary: boolean): readonly Loose[]
  close?(closing: { code: number; reason: string }): { code: number; reason: string }
  /** The subprotocol that is selected, where it is not the right one. */
  subprotocol?(offered: readonly string[]): string
  /** Takes compression when it is offered. */
  readonly compresses?: true
  /** A handshake that the service refused is made to look accepted, or the other way round. */
  handshake?(offered: readonly string[], uses: number): 'take' | 'refuse' | undefined
  /** Answers no pings. */
  readonly ignoresPings?: true
  /** This many bytes follow the handshake at once, and reach the service as early as that. */
  readonly earlyBytes?: number
}

/** One for each stream, for faults that need to remember. */
interface StreamMemory {
  readonly events: Loose[]
}

export interface WrongService {
  readonly url: string
  fault: Fault
  stop(): Promise<void>
}

export interface Right {
  readonly url: string
  readonly ca: string
  readonly cert: string
  readonly key: string
}

export async function startWrongService(right: Right): Promise<WrongService> {
  const service: WrongService = { url: '', fault: {}, stop }
  const server = createServer({ cert: right.cert, key: right.key }, (incoming, outgoing) => {
    pass(right, service, incoming, outgoing).catch(() => outgoing.destroy())
  })
  const streams = new WrongStreams(right, service)
  server.on('upgrade', (request, socket, head) => void streams.take(request, socket, head))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  async function stop(): Promise<void> {
    streams.end()
    await close(server)
  }
  return Object.assign(service, { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise(resolve => server.close(() => resolve()))
}

async function pass(
  right: Right,
  { url, fault }: WrongService,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) {
  const asked = { path: incoming.url!, headers: incoming.headers, body: await read(incoming) }
  const changed = fault.request?.(asked)
  const { host: _, connection: __, ...headers } = { ...asked.headers, ...changed?.headers }
  const body = changed?.body ?? asked.body
  if (body !== asked.body) headers['content-length'] = String(Buffer.byteLength(body))
  const upstream = requestHttps(right.url + asked.path, { method: incoming.method!, headers, ca: right.ca })
  upstream.end(body)
  const [answer] = (await once(upstream, 'response')) as [IncomingMessage]
  const exchange: Exchange = {
    method: incoming.method!,
    path: asked.path,
    requestHeaders: asked.headers,
    requestBody: asked.body,
    status: answer.statusCode!,
    headers: { ...answer.headers },
    body: lead(await read(answer), url),
  }
  fault.answer?.(exchange)
  const { 'content-length': ___, 'transfer-encoding': ____, ...kept } = exchange.headers
  for (const [name, value] of Object.entries(kept)) if (value !== undefined) outgoing.setHeader(name, value)
  outgoing.writeHead(exchange.status)
  outgoing.end(exchange.body)
}

/** Streams come through here as well. */
function lead(body: string, url: string): string {
  return body.replace(/"websocket_url":"wss:\/\/[^/"]+/, `"websocket_url":"${url.replace('https:', 'wss:')}`)
}

async function read(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

class WrongStreams {
  readonly #right: Right
  readonly #service: WrongService
  readonly #uses = new Map<string, number>()
  readonly #sockets = new Set<WebSocket>()

  constructor(right: Right, service: WrongService) {
    this.#right = right
    this.#service = service
  }

  end(): void {
    for (const socket of this.#sockets) socket.terminate()
  }

  async take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { fault } = this.#service
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map(value => value.trim())
    const uses = (this.#uses.get(offered.join()) ?? 0) + 1
    this.#uses.set(offered.join(), uses)
    const outcome = fault.handshake?.(offered, uses)
    if (outcome === 'take') this.#pretend(request, socket, head)
    else if (outcome === 'refuse') refuse(socket, 403, '{}')
    else if (fault.earlyBytes === undefined) this.#pass(request, socket, offered, head, Buffer.alloc(0))
    else this.#pass(request, socket, offered, Buffer.alloc(0), await gather(socket, head, fault.earlyBytes))
  }

  #pass(
    request: IncomingMessage,
    socket: Duplex,
    offered: readonly string[],
    head: Buffer,
    early: Buffer,
  ): void {
    const address = `${this.#right.url.replace('https:', 'wss:')}${request.url}`
    const upstream = new WebSocket(address, offered.filter(Boolean), {
      ca: this.#right.ca,
      perMessageDeflate: false,
      finishRequest(outgoing) {
        outgoing.once('finish', () => void outgoing.socket?.write(early))
        outgoing.end()
      },
    })
    const waiting: (readonly [Buffer, boolean])[] = []
    const keep = (data: Buffer, isBinary: boolean) => waiting.push([data, isBinary])
    upstream.on('message', keep)
    upstream.on('error', () => socket.destroy())
    upstream.on('unexpected-response', (_, answer) => {
      const pass = (body: string) => refuse(socket, answer.statusCode!, body, answer.headers)
      read(answer).then(pass, () => socket.destroy())
    })
    upstream.on('open', () =>
      this.#accept(request, socket, head, client => {
        upstream.off('message', keep)
        this.#join(upstream, client, waiting)
      }),
    )
  }

  #accept(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    onClient: (client: WebSocket) => void,
  ): void {
    const { fault } = this.#service
    const server = new WebSocketServer({
      noServer: true,
      perMessageDeflate: fault.compresses ?? false,
      autoPong: !fault.ignoresPings,
      handleProtocols: offered => fault.subprotocol?.([...offered]) ?? 'svc.realtime.v1',
    })
    server.handleUpgrade(request, socket, head, client => {
      this.#sockets.add(client)
      client.on('error', () => undefined)
      onClient(client)
    })
  }

  /** A stream that the service does not know about. */
  #pretend(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#accept(request, socket, head, client => client.send('{"type":"ready","chunk_samples":17920}'))
  }

  #join(upstream: WebSocket, client: WebSocket, waiting: readonly (readonly [Buffer, boolean])[]): void {
    const { fault } = this.#service
    const memory: StreamMemory = { events: [] }
    const tell = (data: Buffer) => {
      const event = JSON.parse(String(data)) as Loose
      const told = fault.event?.(event, memory) ?? [event]
      memory.events.push(event)
      for (const one of told)
        client.send(typeof one === 'string' || Buffer.isBuffer(one) ? one : JSON.stringify(one))
    }
    for (const [data] of waiting) tell(data)
    upstream.on('message', data => tell(data as Buffer))
    upstream.on('close', (code, reason) => {
      const closing = { code, reason: String(reason) }
      finish(client, fault.close?.(closing) ?? closing)
    })
    client.on('message', (data, isBinary) => {
      for (const reply of fault.reply?.(data as Buffer, isBinary) ?? []) client.send(JSON.stringify(reply))
      const passed = fault.frame?.(data as Buffer, isBinary, memory) ?? [
        isBinary ? (data as Buffer) : String(data),
      ]
      for (const one of passed) upstream.send(one)
    })
    client.on('close', (code, reason) => finish(upstream, { code, reason: String(reason) }))
  }
}

function finish(socket: WebSocket, { code, reason }: { code: number; reason: string }): void {
  if (code === 1006) socket.terminate()
  else if (code === 1005) socket.close()
  else socket.close(code, reason)
}

async function gather(socket: Duplex, head: Buffer, bytes: number): Promise<Buffer> {
  let all = head
  while (all.length < bytes) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    all = Buffer.concat([all, chunk])
  }
  socket.pause()
  return all
}

function refuse(socket: Duplex, status: number, body: string, headers: IncomingHttpHeaders = {}): void {
  const lines = Object.entries(headers).filter(
    ([name]) => !/^(connection|content-length|transfer-encoding)$/.test(name),
  )
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(
    `HTTP/1.1 ${status} Refused\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
