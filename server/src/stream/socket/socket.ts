// The WebSocket as this service uses it. `ws` closes at once when a frame is bad or the client's close arrives; here both are
// handed to the connection first, because an `error` comes before every close of ours and the settlement before every close.

import type { IncomingMessage } from 'node:http'
import type { CloseErrorCode } from '@sauti/protocol/errors'
import { type RawData, type Server, type ServerOptions, WebSocket, WebSocketServer } from 'ws'
import type { CloseFrame } from '../dialect.ts'
import { CLOSE_TIMEOUT_MS, MAX_BUFFERED_CHUNKS, MAX_FRAGMENTS } from '../settings.ts'

const TEXT_OPCODE = 1

/** Is told everything that happens to a socket. */
export interface SocketListener {
  onMessage(bytes: Buffer, isBinary: boolean): void
  onPing(data: Buffer): void
  onPong(): void
  /** A frame that cannot be taken; nothing more is read. */
  onRefused(code: CloseErrorCode): void
  /** The client's close frame, to which answerClose() answers. */
  onLeaving(): void
  onClose(code: number): void
}

export class StreamSocket extends WebSocket {
  /** Without one nothing was said yet, and `ws` may close as it likes. */
  listener: SocketListener | undefined
  #clientsClose: { readonly code: number | undefined; readonly reason: Buffer } | undefined

  /** All sockets share the functions: closures for each would be a good part of the memory of an idle connection. */
  listen(listener: SocketListener): void {
    this.listener = listener
    this.on('message', onMessage).on('ping', onPing).on('pong', onPong).on('close', onClose)
    // Every error of a socket is followed by its close, and a frame that cannot be taken by onRefused.
    this.on('error', ignore)
  }

  /**
   * Called by `ws` alone, and the one place where it can be kept from answering: with a code and no reason for a frame that it
   * cannot take, else with what the client's close frame says. In both cases its receiver has stopped reading by then, and
   * the close that the connection makes later also ends the TCP connection. Once our close is sent, `ws` may finish.
   */
  override close(code?: number, reason?: string | Buffer): void {
    if (this.readyState !== WebSocket.OPEN || !this.listener) {
      super.close(code, reason)
    } else if (code !== undefined && reason === undefined) {
      this.listener.onRefused(this.#refusal(code))
    } else {
      // A copy: the reason is a view of the network's buffer, which would be held as long as the settlement takes.
      this.#clientsClose = { code, reason: Buffer.from(reason ?? '') }
      this.listener.onLeaving()
    }
  }

  sendClose({ code, reason }: CloseFrame): void {
    super.close(code, reason)
  }

  /** Repeats the code and reason of the client's close, as the standard asks. A client that is gone needs no answer. */
  answerClose(): void {
    if (this.#clientsClose) super.close(this.#clientsClose.code, this.#clientsClose.reason)
  }

  #refusal(code: number): CloseErrorCode {
    if (code === 1007) return 'invalid_utf8'
    if (code !== 1009) return 'protocol_error'
    // The only way to learn what kind of message was too large; a test holds it. Unknown counts as a binary frame.
    const { _receiver } = this as unknown as { _receiver?: { _opcode?: number } }
    return _receiver?._opcode === TEXT_OPCODE ? 'message_too_large' : 'frame_too_large'
  }
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  listenerOf(this)?.onMessage(data as Buffer, isBinary)
}

function onPing(this: WebSocket, data: Buffer): void {
  listenerOf(this)?.onPing(data)
}

function onPong(this: WebSocket): void {
  listenerOf(this)?.onPong()
}

function onClose(this: WebSocket, code: number): void {
  listenerOf(this)?.onClose(code)
}

function ignore(): void {
  // What it means comes with the close.
}

function listenerOf(socket: WebSocket): SocketListener | undefined {
  return (socket as StreamSocket).listener
}

/** `closeTimeout` is documented by ws and still missing from its published types. */
interface SocketServerOptions extends ServerOptions<typeof StreamSocket> {
  readonly closeTimeout: number
}

/** What the handshake answers beside what the standard says. */
export interface HandshakeAnswer {
  readonly requestId: string
  readonly subprotocol: string | undefined
}

export function createSocketServer(
  maxMessageBytes: number,
  answerTo: (request: IncomingMessage) => HandshakeAnswer | undefined,
): Server<typeof StreamSocket> {
  const options: SocketServerOptions = {
    noServer: true,
    clientTracking: false,
    // Pongs are written by the link, which knows when the client does not read them.
    autoPong: false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_BUFFERED_CHUNKS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    WebSocket: StreamSocket,
    // A subprotocol can be a secret: the answer names what the wire selected and nothing else.
    handleProtocols: (_offered, request) => answerTo(request)?.subprotocol ?? false,
  }
  const server = new WebSocketServer(options)
  server.on('headers', (headers, request) => {
    headers.push(`X-Request-Id: ${answerTo(request)?.requestId}`)
  })
  return server
}
