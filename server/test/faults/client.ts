// A client of the service behind a network of its own that can fail. An answer that does not come is undefined, never an exception.

import type { AsrSession, CreditBalance } from '@sauti/protocol/http'
import { WebSocket } from 'ws'
import type { FaultyNetwork } from '../support/faults/faulty-network.ts'
import { encodeForm } from '../support/service/forms.ts'
import { type Answer, ask } from '../support/service/https.ts'
import { makeSilentWav } from '../support/service/transcriptions.ts'
import { StreamClient } from '../support/streams/stream-client.ts'

const MODEL = 'svc-asr-kikuyu-v1'
/** Longer than the service waits for its database, so that an answer is missed only where none is given. */
const PATIENCE_MS = 30_000
const FRAME_BYTES = 32_000

export interface MeteredEnd {
  /** Of the refusal, where the handshake was refused. */
  readonly status: number | undefined
  readonly wasOpen: boolean
  readonly hasMetadata: boolean
  readonly code: number
}

export class Client {
  readonly network: FaultyNetwork
  readonly #ca: string
  readonly #hasManyNodes: boolean

  /** With many nodes a stream goes to the address of its session, past the network of the client. */
  constructor(network: FaultyNetwork, ca: string, hasManyNodes = false) {
    this.network = network
    this.#ca = ca
    this.#hasManyNodes = hasManyNodes
  }

  create(key: string, seconds: number, idempotencyKey: string | undefined): Promise<Answer | undefined> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    const body = JSON.stringify({ model: MODEL, max_audio_seconds: seconds })
    return this.#ask('POST', '/v1/asr/sessions', key, {
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  }

  cancel(key: string, sessionId: string): Promise<Answer | undefined> {
    return this.#ask('DELETE', `/v1/asr/sessions/${sessionId}`, key)
  }

  async usage(key: string): Promise<{ status: number; balance: CreditBalance } | undefined> {
    const answer = await this.#ask('GET', '/v1/usage', key)
    return answer && { status: answer.status, balance: JSON.parse(answer.body) }
  }

  async transcribe(key: string, samples: number): Promise<Answer | undefined> {
    const { contentType, body } = await encodeForm({ model: MODEL, file: makeSilentWav(samples) })
    return this.#ask('POST', '/v1/audio/transcriptions', key, {
      headers: { 'content-type': contentType },
      body,
    })
  }

  open(session: AsrSession): StreamClient {
    if (this.#hasManyNodes) return new StreamClient(session, this.#ca)
    const url = new URL(session.websocket_url)
    url.port = String(this.network.port)
    return new StreamClient({ ...session, websocket_url: url.href }, this.#ca)
  }

  /** A whole stream of a wire that reserves more while it runs. */
  async streamMetered(key: string, samples: number): Promise<MeteredEnd> {
    const query = `model=${MODEL}&encoding=linear16&sample_rate=16000`
    const socket = new WebSocket(`wss://127.0.0.1:${this.network.port}/v1/listen?${query}`, {
      ca: this.#ca,
      headers: { authorization: `Token ${key}` },
    })
    const end = { status: undefined as number | undefined, wasOpen: false, hasMetadata: false }
    socket.on('error', () => undefined)
    socket.on('unexpected-response', (_request, response) => {
      end.status = response.statusCode
      socket.terminate()
    })
    socket.on('message', data => {
      if (JSON.parse(String(data)).type === 'Metadata') end.hasMetadata = true
    })
    socket.on('open', () => {
      end.wasOpen = true
      sendSilence(socket, samples)
      socket.send('{"type":"CloseStream"}')
    })
    const timer = setTimeout(() => socket.terminate(), PATIENCE_MS)
    const code = await new Promise<number>(resolve => socket.once('close', resolve))
    clearTimeout(timer)
    return { ...end, code }
  }

  async #ask(
    method: string,
    path: string,
    key: string,
    { headers = {}, ...rest }: { headers?: Record<string, string>; body?: string | Buffer } = {},
  ): Promise<Answer | undefined> {
    const options = {
      agent: false as const,
      method,
      ca: this.#ca,
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...rest,
    }
    return ask(`https://127.0.0.1:${this.network.port}${path}`, options).catch(() => undefined)
  }
}

function sendSilence(socket: WebSocket, samples: number): void {
  for (let left = samples * 2; left > 0; left -= FRAME_BYTES)
    socket.send(Buffer.alloc(Math.min(left, FRAME_BYTES)))
}
