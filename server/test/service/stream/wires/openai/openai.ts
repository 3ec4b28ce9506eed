// A client of OpenAI's realtime transcription, event by event.

import { on, once } from 'node:events'
import type { WebSocket } from 'ws'
import type { Customer } from '../../../../support/service/customer.ts'
import type { ScriptedService } from '../../../../support/service/scripted-service.ts'
import { connectForeign, hearAll, type Message } from '../../../../support/streams/foreign-clients.ts'

export const INTENT = '/v1/realtime?intent=transcription'
export const MODEL = '/v1/realtime?model=svc-asr-kikuyu-v1'
export const SECOND_24K = Buffer.alloc(48_000).toString('base64')
export const MANUAL = { turn_detection: null }

export async function open(service: ScriptedService, { key }: Customer, path = INTENT): Promise<WebSocket> {
  const socket = connectForeign(service, { path, headers: { authorization: `Bearer ${key}` } })
  await once(socket, 'open')
  return socket
}

export function say(socket: WebSocket, type: string, fields: object = {}): void {
  socket.send(JSON.stringify({ type, ...fields }))
}

export function update(socket: WebSocket, input: object, fields: object = {}): void {
  say(socket, 'session.update', { session: { type: 'transcription', audio: { input } }, ...fields })
}

/** Closes after this many events of a type, and returns everything that was sent to it. */
export async function until(socket: WebSocket, type: string, count = 1): Promise<Message[]> {
  let seen = 0
  socket.on('message', data => {
    if (JSON.parse(String(data)).type === type) seen += 1
    if (seen === count) socket.close()
  })
  return (await hearAll(socket)).told
}

/** Waits for an event of this type. */
export async function hear(socket: WebSocket, type: string): Promise<void> {
  for await (const [data] of on(socket, 'message')) {
    if (JSON.parse(String(data)).type === type) return
  }
}

export const typesOf = (told: readonly Message[]) => told.map(({ type }) => type)

export const COMPLETED = 'conversation.item.input_audio_transcription.completed'
export const DELTA = 'conversation.item.input_audio_transcription.delta'
