// How a server says that it listens, and how it is told to stop.

import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Tls } from '@sauti/server/tls/tls.js'
import type { Target } from './load.ts'

/** What the process says when it listens. */
export interface Announcement extends Target {
  readonly keys: readonly string[]
}

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
