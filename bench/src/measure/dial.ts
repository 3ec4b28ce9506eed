// The connection of somebody who speaks to a service, ours or a peer's.

import { WebSocket } from 'ws'

/** Where to connect, and with what. */
export interface Address {
  readonly url: string
  readonly protocols: readonly string[]
  readonly ca?: string
}

export interface Call {
  readonly socket: WebSocket
  /** Settles when the service takes audio. */
  readonly ready: Promise<void>
}

export function dial({ url, protocols, ca }: Address, onFinal: () => void): Call {
  const socket = new WebSocket(url, [...protocols], { ...(ca && { ca }), perMessageDeflate: false })
  const ready = new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', data => {
      const { type } = JSON.parse(String(data))
      if (type === 'ready') resolve()
      if (type === 'final') onFinal()
    })
  })
  return { socket, ready }
}
