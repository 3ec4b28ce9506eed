// Streams at the level of bytes: valid frames in great number, and among them one that breaks the protocol of WebSocket or of ours.
// One seed gives one stream, and repeats it.

import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { Dice } from '../fuzzing.ts'
import { BINARY, CLOSE, CONTINUATION, encodeFrame, PING, PONG, type RawFrame, TEXT } from './raw-client.ts'
import type { SessionAnswer } from './stream-client.ts'

export interface Storm {
  readonly frames: number
  /** Undefined where the service ended the connection without a close frame. */
  readonly close: { readonly code: number; readonly reason: string } | undefined
  readonly isReady: boolean
}

interface Door {
  readonly port: number
  readonly ca: string
}

const REQUESTS = [
  '{"type":"flush"}',
  '{"type":"reset"}',
  '{"type":"config"}',
  '{"type":"config","context":[56,0]}',
]
const BURST = 64
const MOST_FRAMES = 3_000
const PATIENCE_MS = 30_000

/** One stream from its handshake to its end. */
export async function storm({ port, ca }: Door, session: SessionAnswer, seed: number): Promise<Storm> {
  const dice = new Dice(seed)
  const socket = connect({ host: '127.0.0.1', port, ca })
  const reader = new FrameReader(socket)
  await once(socket, 'secureConnect')
  socket.write(handshakeOf(session))
  // One in ten does not wait for the answer to its handshake.
  if (dice.roll(10) > 0) await reader.until(() => reader.isReady || reader.isOver)
  let frames = 0
  for (const planned = dice.roll(MOST_FRAMES); frames < planned && !reader.isOver; ) {
    const burst = Array.from({ length: 1 + dice.roll(BURST) }, () => goodFrame(dice))
    frames += burst.length
    if (!socket.write(Buffer.concat(burst.flat())))
      await reader.until(() => reader.hasDrained() || reader.isOver)
  }
  const { last, isWhole } = dice.roll(4) === 0 ? { last: [closeFrame(1000)], isWhole: true } : badFrames(dice)
  frames += last.length
  if (!reader.isOver) socket.write(Buffer.concat(last))
  // The service waits for the rest of a frame that was cut short: it ends when the client does.
  if (!isWhole) socket.end()
  await reader.until(() => reader.isOver)
  socket.destroy()
  return { frames, close: reader.close, isReady: reader.isReady }
}

function handshakeOf({ websocket_protocols: protocols }: SessionAnswer): string {
  return (
    'GET /v1/asr/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
    `Sec-WebSocket-Protocol: ${protocols.join(', ')}\r\n\r\n`
  )
}

function closeFrame(code: number, reason = ''): Buffer {
  return encodeFrame({
    opcode: CLOSE,
    payload: Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]),
  })
}

/** Whole messages that a stream takes, some of them in pieces with control frames between. */
function goodFrame(dice: Dice): Buffer[] {
  switch (dice.roll(12)) {
    case 0:
      return [encodeFrame({ opcode: TEXT, payload: dice.pick(REQUESTS) })]
    case 1:
      return [encodeFrame({ opcode: PING, payload: dice.bytes(dice.roll(126)) })]
    case 2:
      return [encodeFrame({ opcode: PONG, payload: dice.bytes(dice.roll(126)) })]
    case 3:
      return inPieces(dice, BINARY, dice.bytes(dice.roll(64)))
    case 4:
      return inPieces(dice, TEXT, Buffer.from(dice.pick(REQUESTS)))
    default:
      return [encodeFrame({ opcode: BINARY, payload: dice.bytes(dice.roll(24)) })]
  }
}

function inPieces(dice: Dice, opcode: number, payload: Buffer): Buffer[] {
  const cut = dice.roll(payload.length + 1)
  return [
    encodeFrame({ opcode, payload: payload.subarray(0, cut), fin: false }),
    ...(dice.roll(2) === 0 ? [encodeFrame({ opcode: PING })] : []),
    encodeFrame({ opcode: CONTINUATION, payload: payload.subarray(cut) }),
  ]
}

const BAD_LENGTHS = [125, 126, 65_535, 65_536, 65_537, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER]

/** Kinds from here on may end in the middle of a frame. */
const CUT_SHORT = 12

/** What no client should send. */
function badFrames(dice: Dice): { last: Buffer[]; isWhole: boolean } {
  const kind = dice.roll(14)
  return { last: makeBad(dice, kind), isWhole: kind < CUT_SHORT }
}

function makeBad(dice: Dice, kind: number): Buffer[] {
  const payload = dice.bytes(dice.roll(200))
  const one = (frame: RawFrame) => [encodeFrame(frame)]
  switch (kind) {
    case 0:
      return one({ opcode: dice.pick([3, 4, 5, 6, 7, 11, 12, 13, 14, 15]), payload })
    case 1:
      return one({ opcode: dice.pick([TEXT, BINARY, PING]), payload, reserved: 1 + dice.roll(7) })
    case 2:
      return one({ opcode: dice.pick([TEXT, BINARY, CLOSE]), payload, masked: false })
    case 4:
      return one({ opcode: dice.pick([PING, PONG, CLOSE]), payload: dice.bytes(126 + dice.roll(300)) })
    case 5:
      return one({ opcode: dice.pick([PING, CLOSE]), payload: dice.bytes(4), fin: false })
    case 6:
      return one({ opcode: CONTINUATION, payload })
    case 7:
      return [
        encodeFrame({ opcode: TEXT, fin: false, payload: 'a' }),
        encodeFrame({ opcode: TEXT, payload: 'b' }),
      ]
    case 8:
      return one({ opcode: TEXT, payload: Buffer.from([0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80]) })
    case 9:
      return [closeFrame(dice.pick([0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535]), 'x')]
    case 10:
      return one({ opcode: CLOSE, payload: dice.bytes(1) })
    case 11:
      return one({ opcode: dice.pick([TEXT, BINARY]), payload: Buffer.alloc(65_537 + dice.roll(9_000)) })
    case 3:
      return Array.from({ length: 6 }, () =>
        encodeFrame({ opcode: TEXT, payload: dice.bytes(9).toString('latin1') }),
      )
    case CUT_SHORT:
      return one({ opcode: BINARY, payload, claimedLength: dice.pick(BAD_LENGTHS) })
    default:
      return [dice.bytes(1 + dice.roll(400))]
  }
}

/** Reads only what the storm must know: that the stream is ready, and how it was closed. */
class FrameReader {
  isReady = false
  isOver = false
  close: Storm['close']
  readonly #socket: TLSSocket
  #bytes: Buffer = Buffer.alloc(0)
  #hasHead = false
  #heardAt = 0
  #wake: () => void = () => undefined

  constructor(socket: TLSSocket) {
    this.#socket = socket
    socket.on('data', data => this.#read(data))
    socket.on('drain', () => this.#wake())
    socket.on('error', () => undefined)
    socket.on('close', () => this.#end())
  }

  hasDrained(): boolean {
    return this.#socket.writableLength === 0
  }

  /** Waits as long as the service says anything: on a busy machine it may take minutes for a few thousand frames. */
  async until(condition: () => boolean): Promise<void> {
    this.#heardAt = Date.now()
    while (!condition()) {
      if (Date.now() - this.#heardAt > PATIENCE_MS) throw new Error('the service does not go on')
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, 1_000)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  #end(): void {
    this.isOver = true
    this.#wake()
  }

  #read(data: Buffer): void {
    this.#heardAt = Date.now()
    this.#bytes = this.#bytes.length === 0 ? data : Buffer.concat([this.#bytes, data])
    if (!this.#hasHead) this.#readHead()
    if (this.#hasHead) this.#readFrames()
    this.#wake()
  }

  #readHead(): void {
    const end = this.#bytes.indexOf('\r\n\r\n')
    if (end === -1) return
    this.#hasHead = true
    this.#bytes = this.#bytes.subarray(end + 4)
  }

  #readFrames(): void {
    for (;;) {
      const short = (this.#bytes[1] ?? 0) & 0x7f
      const head = short === 126 ? 4 : 2
      if (this.#bytes.length < head) return
      const length = short === 126 ? this.#bytes.readUInt16BE(2) : short
      if (this.#bytes.length < head + length) return
      this.#take(this.#bytes[0]! & 0x0f, this.#bytes.subarray(head, head + length))
      this.#bytes = this.#bytes.subarray(head + length)
    }
  }

  #take(opcode: number, payload: Buffer): void {
    if (opcode === TEXT && !this.isReady) this.isReady = payload.includes('"ready"')
    if (opcode !== CLOSE) return
    const code = payload.length < 2 ? 1005 : payload.readUInt16BE(0)
    this.close = { code, reason: String(payload.subarray(2)) }
    this.#socket.end()
  }
}
