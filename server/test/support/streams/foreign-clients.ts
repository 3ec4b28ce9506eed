// What tests of foreign protocols share: plain WebSockets to any address of the service, and how refusals are read.

import { once } from 'node:events'
import { WebSocket } from 'ws'

export interface ForeignService {
  readonly port: number
  readonly ca: string
}

export interface ForeignCall {
  /** With its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: what a foreign protocol says is looked into by tests, field by field
export type Message = Record<string, any>

export function connectForeign({ port, ca }: ForeignService, call: ForeignCall): WebSocket {
  const { path, headers = {}, protocols = [] } = call
  return new WebSocket(`wss://127.0.0.1:${port}${path}`, [...protocols], { ca, headers })
}

/** Everything that it is told, up to its close. */
export async function hearAll(socket: WebSocket): Promise<{ told: Message[]; code: number; reason: string }> {
  const told: Message[] = []
  socket.on('message', data => told.push(JSON.parse(String(data))))
  const [code, reason] = await once(socket, 'close')
  return { told, code, reason: String(reason) }
}

export async function refusalOf(
  service: ForeignService,
  call: ForeignCall,
): Promise<{ status: number; body: Message; headers: Message }> {
  const socket = connectForeign(service, call)
  socket.on('error', () => undefined)
  const [, response] = await once(socket, 'unexpected-response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode, body: JSON.parse(body), headers: response.headers }
}
