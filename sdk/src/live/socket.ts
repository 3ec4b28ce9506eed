// The part of a WebSocket that a live session uses. Browsers and Node 22 bring one; on Node 20 `ws` is passed in.

export interface WebSocketLike {
  binaryType: string
  readonly readyState: number
  readonly bufferedAmount: number
  send(data: string | Uint8Array<ArrayBuffer>): void
  close(code?: number, reason?: string): void
  addEventListener(type: 'open', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(type: 'error', listener: (event: unknown) => void): void
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void
}

/** Opens a connection. The credential travels as a subprotocol only: a browser can set no header, and a URL gets logged. */
export type Connect = (url: string, protocols: string[]) => WebSocketLike

/** The WebSocket of the runtime, if it has one. */
export function globalConnect(): Connect | undefined {
  const { WebSocket } = globalThis
  return typeof WebSocket === 'function' ? (url, protocols) => new WebSocket(url, protocols) : undefined
}
