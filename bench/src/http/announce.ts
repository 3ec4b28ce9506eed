// The last words of a server's start, and the first of its stop.

import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Tls } from '@sauti/server/tls.js'
import type { Announcement } from './contender.ts'

/** What the load asks of a server. */
export interface Orders {
  /** From now on sessions are created, and have to end. */
  readonly endSessions?: () => void
  readonly stop: () => Promise<unknown>
}

export function announce(server: Server, tls: Tls, keys: readonly string[], orders: Orders): void {
  const { port } = server.address() as AddressInfo
  const announcement: Announcement = { port, ca: readFileSync(tls.authorityFile!, 'utf8'), keys }
  process.on('message', async (order: keyof Orders) => {
    await orders[order]?.()
    if (order === 'stop') process.exit(0)
  })
  process.send!(announcement)
}
