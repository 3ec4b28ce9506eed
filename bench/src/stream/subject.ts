// What is measured, as a process of its own: `sauti`, the stream part of the service in front of an echo, or `bare`, the plain
// `ws` echo server that it is compared with. Same TLS, same certificate, same pings, same answers.

import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { samplesToMs } from '@sauti/protocol/audio'
import { encodeEvent } from '@sauti/protocol/stream'
import type { Database, Queryable } from '@sauti/server/db/port.js'
import { createLogger } from '@sauti/server/log.js'
import { deriveCredentialKeys } from '@sauti/server/sessions/credential.js'
import { readConfig } from '@sauti/server/settings/config.js'
import { StreamServer } from '@sauti/server/stream/server.js'
import { loadTls } from '@sauti/server/tls/tls.js'
import { Registry } from 'prom-client'
import { type WebSocket, WebSocketServer } from 'ws'
import { createEchoRecogniser, ECHO_TEXT } from './echo-recogniser.ts'
import { BENCH_SECRET, type Figures, PING_INTERVAL_SECONDS, type Question } from './subject-terms.ts'

const config = readConfig({
  SAUTI_DATA_DIR: process.argv[3]!,
  SAUTI_PING_INTERVAL_SECONDS: String(PING_INTERVAL_SECONDS),
  SAUTI_MAX_CONNECTIONS: '100000',
  SAUTI_MAX_CONNECTIONS_PER_ADDRESS: '100000',
  // Ten thousand take longer to connect than the minute for which a stream may say nothing.
  SAUTI_IDLE_TIMEOUT_SECONDS: '3600',
})

/** Every session is there, long and good; nothing is stored. */
const memoryDatabase: Queryable & Pick<Database, 'transaction'> = {
  transaction: work => work({ ...memoryDatabase, isTransaction: true }),
  async query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    if (sql.includes("SET status = 'active'")) {
      const [sessionId] = params
      return [
        { sessionId, accountId: 'an account', model: 'svc-asr-kikuyu-v1', reservedMs: 300_000 },
      ] as Row[]
    }
    return sql.includes('settle_session') ? ([{ settled: true }] as Row[]) : []
  },
}

async function serveSauti(server: Server): Promise<void> {
  const streams = await StreamServer.start({
    db: memoryDatabase,
    recogniser: createEchoRecogniser(),
    voice: { open: () => ({ push: () => undefined, close: () => undefined }), close: async () => undefined },
    credentialKeys: deriveCredentialKeys([BENCH_SECRET]),
    node: {
      id: randomUUID(),
      isOpen: true,
      lostAfterMs: config.nodeLostAfterMs,
      returns: { promise: ({ now }) => now },
      confirm: async () => undefined,
      noteEnding: () => undefined,
    },
    journalPath: join(config.dataDir, 'settlements.jsonl'),
    settings: config,
    isDraining: () => false,
    metrics: new Registry(),
    log: createLogger('silent', process.stderr),
    clock: () => new Date(),
    monotonicMs: () => performance.now(),
    newId: randomUUID,
  })
  streams.attach(server)
}

function serveBare(server: Server): void {
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  const heard = new WeakMap<WebSocket, number>()
  // All at once, which is cheapest; counted from the first connection, so that every window of the bench holds one round of pings.
  sockets.once('connection', () =>
    setInterval(() => sockets.clients.forEach(socket => void socket.ping()), config.pingIntervalMs),
  )
  sockets.on('connection', socket => {
    socket.send('{"type":"ready"}')
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return
      const samples = (heard.get(socket) ?? 0) + data.length / 2
      heard.set(socket, samples)
      const audio_ms = samplesToMs(samples)
      socket.send(encodeEvent({ type: 'delta', text: ECHO_TEXT, append: '', utterance: 1, audio_ms }))
    })
  })
}

function measure(): Figures {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { cpuMs: (user + system) / 1000, rssBytes: rss, heapBytes: heapUsed, nativeBytes: external }
}

const { cert, key } = (await loadTls(config, new Date()))!
const server = createServer({ cert, key })
if (process.argv[2] === 'sauti') await serveSauti(server)
else serveBare(server)
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', (question: Question) => {
  if (question === 'collect garbage and measure') globalThis.gc?.()
  process.send?.(measure())
})
process.on('disconnect', () => process.exit(0))
