// A service that does on purpose what a healthy one does rarely: stays silent, vanishes, closes for any reason.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type RawData, WebSocket, WebSocketServer } from 'ws'

export interface Peer {
  readonly socket: WebSocket
  /** Every frame of the client in order: text as parsed JSON, audio as its bytes. */
  readonly frames: (Record<string, unknown> | Buffer)[]
  say(event: object): void
}

export type Script = (peer: Peer, frame?: Record<string, unknown> | Buffer) => void

export const READY = {
  type: 'ready',
  chunk_samples: 17_920,
  session_id: 'session',
  model: 'svc-asr-kikuyu-v1',
  language: 'ki',
  sample_rate_hz: 16_000,
  max_audio_seconds: 60,
  max_frame_bytes: 65_536,
}

/** Runs `script` once for each connection without a frame, then for each frame. */
export async function startFaultyService(script: Script) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'svc.realtime.v1' })
  const peers: Peer[] = []
  server.on('connection', socket => {
    const peer: Peer = { socket, frames: [], say: event => socket.send(JSON.stringify(event)) }
    peers.push(peer)
    socket.on('message', (data: RawData, isBinary) => {
      const frame = isBinary ? (data as Buffer) : JSON.parse(String(data))
      peer.frames.push(frame)
      script(peer, frame)
    })
    script(peer)
  })
  await once(server, 'listening')
  const grant = {
    id: 'session',
    websocket_url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/asr/stream`,
    websocket_protocols: ['svc.realtime.v1', 'svc.auth.secret'] as ['svc.realtime.v1', string],
  }
  const stop = async () => {
    for (const { socket } of peers) socket.terminate()
    server.close()
    await once(server, 'close')
  }
  return { grant, peers, stop }
}

export const connectWs = (url: string, protocols: string[]) => new WebSocket(url, protocols)
