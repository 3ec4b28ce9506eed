// A client that speaks WebSocket by hand over TLS, so that a test can break the protocol exactly as it likes.

import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import type { ServerEvent } from '@sauti/protocol/stream'
import type { SessionAnswer } from './stream-client.ts'

export const TEXT = 1
export const BINARY = 2
export const CONTINUATION = 0
export const CLOSE = 8
export const PING = 9
export const PONG = 10

/** What the standard calls a close frame that holds no code. */
const NO_CODE = 1005

export interface RawFrame {
  readonly opcode: number
  readonly payload?: Uint8Array | string
  readonly fin?: boolean
  readonly masked?: boolean
  readonly reserved?: number
  /** What the header says, where that is not the payload's length. */
  readonly claimedLength?: number
}

export function encodeFrame({
  opcode,
  payload = '',
  fin = true,
  masked = true,
  reserved = 0,
  claimedLength,
}: RawFrame): Buffer {
  const body = Buffer.from(payload as string)
  const header = Buffer.from([(fin ? 0x80 : 0) | (reserved << 4) | opcode])
  const mask = Buffer.from([0x11, 0x22, 0x33, 0x44])
  const length = encodeLength(claimedLength ?? body.length, masked)
  if (!masked) return Buffer.concat([header, length, body])
  return Buffer.concat([header, length, mask, body.map((byte, index) => byte ^ mask[index % 4]!)])
}

function encodeLength(length: number, masked: boolean): Buffer {
  const flag = masked ? 0x80 : 0
  if (length < 126) return Buffer.from([flag | length])
  if (length < 65_536) return Buffer.from([flag | 126, length >> 8, length & 0xff])
  const long = Buffer.alloc(9)
  long[0] = flag | 127
  long.writeBigUInt64BE(BigInt(length), 1)
  return long
}

export class RawClient {
  readonly socket: TLSSocket
  readonly #tcp: Socket
  readonly closed: Promise<void>
  /** Answers pings and the server's close as a well-behaved client does. */
  answersPings = true
  answersClose = true
  #answeredPings = 0
  #received = Buffer.alloc(0)

  private constructor(socket: TLSSocket, tcp: Socket) {
    this.socket = socket
    this.#tcp = tcp
    socket.on('data', data => {
      this.#received = Buffer.concat([this.#received, data])
      this.#answer()
    })
    socket.on('error', () => undefined)
    this.closed = new Promise(resolve => socket.once('close', () => resolve()))
  }

  /** What it was sent and keeps. */
  get receivedBytes(): number {
    return this.#received.length
  }

  static async open(port: number, ca: string): Promise<RawClient> {
    const tcp = connectTcp(port, '127.0.0.1')
    tcp.on('error', () => undefined)
    const socket = connect({ socket: tcp, host: '127.0.0.1', ca })
    await once(socket, 'secureConnect')
    return new RawClient(socket, tcp)
  }

  /** Sends a handshake; `protocols` is the header's value as it stands. */
  static async handshake(
    port: number,
    ca: string,
    protocols: string | undefined,
    extra = '',
  ): Promise<RawClient> {
    const client = await RawClient.open(port, ca)
    const offer = protocols === undefined ? '' : `Sec-WebSocket-Protocol: ${protocols}\r\n`
    client.socket.write(
      `GET /v1/asr/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'}${offer}${extra}\r\n`,
    )
    return client
  }

  static async ready(port: number, session: SessionAnswer, ca: string): Promise<RawClient> {
    const client = await RawClient.handshake(port, ca, session.websocket_protocols.join(', '))
    await client.until(() => client.events.some(event => event.type === 'ready'))
    return client
  }

  send(...frames: RawFrame[]): void {
    this.socket.write(Buffer.concat(frames.map(encodeFrame)))
  }

  /** Vanishes with a TCP reset. */
  reset(): void {
    this.#tcp.resetAndDestroy()
  }

  get head(): string {
    return this.#received.toString('latin1').split('\r\n\r\n', 1)[0]!
  }

  get body(): string {
    const all = this.#received.toString('utf8')
    return all.slice(all.indexOf('\r\n\r\n') + 4)
  }

  get frames(): { opcode: number; payload: Buffer }[] {
    const start = this.#received.indexOf('\r\n\r\n')
    return start === -1 ? [] : decodeFrames(this.#received.subarray(start + 4))
  }

  get events(): ServerEvent[] {
    return this.frames.filter(frame => frame.opcode === TEXT).map(frame => JSON.parse(String(frame.payload)))
  }

  /** Code and reason of the close frame, once there is one. */
  get closing(): { code: number; reason: string } | undefined {
    const frame = this.frames.find(({ opcode }) => opcode === CLOSE)
    if (!frame) return undefined
    const code = frame.payload.length === 0 ? NO_CODE : frame.payload.readUInt16BE(0)
    return { code, reason: String(frame.payload.subarray(2)) }
  }

  #answer(): void {
    const pings = this.frames.filter(({ opcode }) => opcode === PING).length
    for (; this.answersPings && this.#answeredPings < pings; this.#answeredPings++)
      this.send({ opcode: PONG })
    if (!this.answersClose || !this.closing) return
    this.answersClose = false
    this.send({ opcode: CLOSE, payload: Buffer.from([0x03, 0xe8]) })
  }

  async until(condition: () => unknown, patienceMs = 10_000): Promise<void> {
    for (const start = Date.now(); !condition(); await new Promise(resolve => setTimeout(resolve, 10))) {
      if (Date.now() - start > patienceMs)
        throw new Error(`still waiting; received ${this.#received.toString('latin1')}`)
    }
  }
}

function decodeFrames(bytes: Buffer): { opcode: number; payload: Buffer }[] {
  const frames = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = bytes[at + 1]! & 0x7f
    const headerLength = short === 126 ? 4 : short === 127 ? 10 : 2
    if (at + headerLength > bytes.length) break
    const length =
      short === 126
        ? bytes.readUInt16BE(at + 2)
        : short === 127
          ? Number(bytes.readBigUInt64BE(at + 2))
          : short
    const end = at + headerLength + length
    if (end > bytes.length) break
    frames.push({ opcode: bytes[at]! & 0x0f, payload: bytes.subarray(at + headerLength, end) })
    at = end
  }
  return frames
}
