// Clients of either subject: they connect, and stay silent or stream 100 ms frames at the pace of a microphone.

import { randomUUID } from 'node:crypto'
import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { STREAM_PATH, STREAM_PROTOCOL } from '@sauti/protocol/stream'
import { deriveCredentialKeys, issueCredential } from '@sauti/server/sessions/credential.js'
import { WebSocket } from 'ws'
import { BENCH_SECRET } from './subject-terms.ts'

export const FRAME_MS = 100
const CONNECTING_AT_ONCE = 50
const frame = Buffer.alloc(FRAME_MS * SAMPLES_PER_MS * 2)

export interface Target {
  readonly port: number
  readonly ca: string
}

const credentialKeys = deriveCredentialKeys([BENCH_SECRET])

/** Resolves when the server has said its first ready. */
function connect({ port, ca }: Target): Promise<WebSocket> {
  const claims = { sessionId: randomUUID(), expiresAt: new Date(Date.now() + 60_000) }
  const protocols = [STREAM_PROTOCOL, issueCredential(credentialKeys, claims)]
  const socket = new WebSocket(`wss://127.0.0.1:${port}${STREAM_PATH}`, protocols, {
    ca,
    perMessageDeflate: false,
  })
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', code => reject(new Error(`closed with ${code} before it was ready`)))
    socket.on('message', function waitForReady(data) {
      if (!String(data).startsWith('{"type":"ready"')) return
      socket.off('message', waitForReady)
      resolve(socket)
    })
  })
}

export async function connectMany(target: Target, count: number): Promise<WebSocket[]> {
  const sockets: WebSocket[] = []
  while (sockets.length < count) {
    const batch = Math.min(CONNECTING_AT_ONCE, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: batch }, () => connect(target)))))
  }
  return sockets
}

/** Says how many pings all sockets together have heard since. */
export function countPings(sockets: readonly WebSocket[]): () => number {
  let pings = 0
  const count = () => {
    pings += 1
  }
  for (const socket of sockets) socket.on('ping', count)
  return () => pings
}

/** Throws where some were closed before: then figures are of fewer connections than they say. */
export async function disconnectAll(sockets: readonly WebSocket[]): Promise<void> {
  const open = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN)
  await Promise.all(
    open.map(socket => {
      const closed = new Promise(resolve => socket.once('close', resolve))
      socket.close(1000)
      return closed
    }),
  )
  const lost = sockets.length - open.length
  if (lost > 0) throw new Error(`${lost} of ${sockets.length} connections were lost`)
}

/** Streams on all sockets until it is stopped; the latencies of all answers since the last call of `take`, in ms. */
export function startStreaming(sockets: readonly WebSocket[]): { take(): number[]; stop(): void } {
  let latencies: number[] = []
  const timers = sockets.map((socket, index) => {
    const sentAt: number[] = []
    socket.on('message', data => {
      const { audio_ms } = JSON.parse(String(data))
      latencies.push(performance.now() - sentAt[audio_ms / FRAME_MS - 1]!)
    })
    const send = () => {
      sentAt.push(performance.now())
      socket.send(frame)
    }
    // Spread over the interval, as microphones are.
    let timer: NodeJS.Timeout = setTimeout(
      () => {
        timer = setInterval(send, FRAME_MS)
      },
      (index / sockets.length) * FRAME_MS,
    )
    return () => clearInterval(timer)
  })
  return {
    take() {
      const taken = latencies
      latencies = []
      return taken
    },
    stop: () => timers.forEach(stop => void stop()),
  }
}
