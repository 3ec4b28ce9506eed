// Receives notices that other processes send with NOTIFY, on a connection of its own. What is sent while it is down is lost: a listener
// must also poll from time to time.

import type pg from 'pg'
import { repeat } from '../repeat.ts'

/** How often a connection that was lost is tried again. */
const RETRY_MS = 1_000

export interface Listener {
  close(): Promise<void>
}

/** `connect` opens a connection to the server that takes writes now. `onNotice` is also called when a connection was made again. */
export function startListener(
  connect: () => Promise<pg.Client>,
  channel: string,
  onNotice: () => void,
): Listener {
  let client: pg.Client | undefined
  let isClosed = false

  async function keepConnected(): Promise<void> {
    if (client || isClosed) return
    const next = await connect()
    const lose = () => {
      if (client === next) client = undefined
    }
    next.on('error', lose)
    next.on('end', lose)
    next.on('notification', onNotice)
    await next.query(`LISTEN ${channel}`)
    client = next
    onNotice()
  }

  const connecting = repeat(keepConnected, { intervalMs: RETRY_MS, onError: () => undefined })
  return {
    async close() {
      isClosed = true
      await connecting.stop()
      await client?.end().catch(() => undefined)
    },
  }
}
