// The WebSocket as this service uses it. `ws` refuses a bad frame by closing at once; here the refusal is handed to the
// connection first, because an `error` event comes before every close and the close reason is its code.

import type { IncomingMessage } from 'node:http'
import type { CloseErrorCode } from '@sauti/protocol/errors'
import { STREAM_PROTOCOL } from '@sauti/protocol/stream'
import { type Server, type ServerOptions, WebSocket, WebSocketServer } from 'ws'
import { CLOSE_TIMEOUT_MS, MAX_BUFFERED_CHUNKS, MAX_FRAGMENTS, MAX_MESSAGE_BYTES } from './settings.ts'

const TEXT_OPCODE = 1

export class StreamSocket extends WebSocket {
  /** Set by the connection. Without it nothing was said yet, and `ws` may close as it likes. */
  onRefused: ((code: CloseErrorCode) => void) | undefined

  /**
   * `ws` calls close(code) with no reason for frames that it cannot take. Its receiver has stopped reading by then, and the
   * close that the connection makes afterwards, with a reason, ends the TCP connection. Other calls pass.
   */
  override close(code?: number, reason?: string | Buffer): void {
    if (code !== undefined && reason === undefined && this.onRefused) this.onRefused(this.#refusal(code))
    else super.close(code, reason)
  }

  #refusal(code: number): CloseErrorCode {
    if (code === 1007) return 'invalid_utf8'
    if (code !== 1009) return 'protocol_error'
    // The only way to learn what kind of message was too large; a test holds it. Unknown counts as a binary frame.
    const { _receiver } = this as unknown as { _receiver?: { _opcode?: number } }
    return _receiver?._opcode === TEXT_OPCODE ? 'message_too_large' : 'frame_too_large'
  }
}

/** `closeTimeout` is documented by ws and still missing from its published types. */
interface SocketServerOptions extends ServerOptions<typeof StreamSocket> {
  readonly closeTimeout: number
}

export function createSocketServer(
  requestIdOf: (request: IncomingMessage) => string | undefined,
): Server<typeof StreamSocket> {
  const options: SocketServerOptions = {
    noServer: true,
    clientTracking: false,
    // Pongs are written by the link, which knows when the client does not read them.
    autoPong: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_BUFFERED_CHUNKS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    WebSocket: StreamSocket,
    // The second subprotocol is a secret: the answer names the first and nothing else.
    handleProtocols: () => STREAM_PROTOCOL,
  }
  const server = new WebSocketServer(options)
  server.on('headers', (headers, request) => void headers.push(`X-Request-Id: ${requestIdOf(request)}`))
  return server
}
