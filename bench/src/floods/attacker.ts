// An attacker in a process of its own: `node attacker.js NAME`, its session comes as a message. Opens the stream and floods it.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Address } from '../measure/dial.ts'
import { ATTACKS } from './attacks.ts'

/** How much may wait unsent here: the service decides how fast it reads. */
const MAX_UNSENT_BYTES = 1024 * 1024
const ROUNDS_PER_TURN = 100

const round = ATTACKS[process.argv[2]!]!

process.once('message', ({ url, protocols, ca }: Address) => {
  const socket = new WebSocket(url, [...protocols], { ...(ca && { ca }), perMessageDeflate: false })
  socket.on('message', data => {
    if (String(data).startsWith('{"type":"ready"')) void flood(socket)
  })
  socket.on('close', () => process.exit(0))
})

async function flood(socket: WebSocket): Promise<void> {
  process.send!('flooding')
  for (; socket.readyState === WebSocket.OPEN; await nextTurn()) {
    for (let at = 0; at < ROUNDS_PER_TURN && socket.bufferedAmount < MAX_UNSENT_BYTES; at += 1) {
      if (round.length === 0) socket.ping()
      for (const message of round) socket.send(message)
    }
  }
}
