// A client of Deepgram's live protocol, message by message.

import { once } from 'node:events'
import type { WebSocket } from 'ws'
import type { Customer } from '../../../../support/service/customer.ts'
import type { ScriptedService } from '../../../../support/service/scripted-service.ts'
import { connectForeign, type ForeignCall } from '../../../../support/streams/foreign-clients.ts'

export const RAW = 'model=svc-asr-kikuyu-v1&encoding=linear16&sample_rate=16000'
export const SECOND = Buffer.alloc(32_000)

export function call({ key }: Customer, query = RAW): ForeignCall {
  return { path: `/v1/listen?${query}`, headers: { authorization: `Token ${key}` } }
}

export async function open(service: ScriptedService, account: Customer, query?: string): Promise<WebSocket> {
  const socket = connectForeign(service, call(account, query))
  await once(socket, 'open')
  return socket
}

export function say(socket: WebSocket, type: string): void {
  socket.send(JSON.stringify({ type }))
}
