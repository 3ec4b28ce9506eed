// The connections of the benches: one that is lost ends the bench with a reason. It waited for it forever.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { connectMany, disconnectAll } from '../../../bench/dist/stream/load.js'
import { withSubject } from '../../../bench/dist/stream/subject-process.js'
import { readConfig } from '../../../server/dist/settings/config.js'
import { loadTls } from '../../../server/dist/tls/tls.js'

it('does not count figures of which a connection was lost', () =>
  withSubject('bare', async subject => {
    const sockets = await connectMany(subject, 2)
    sockets[0]!.close()
    await once(sockets[0]!, 'close')
    await expect(disconnectAll(sockets)).rejects.toThrow('1 of 2 connections were lost')
  }))

it('does not wait for a connection that is closed before it is ready', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-connections-'))
  const { cert, key } = (await loadTls(readConfig({ SAUTI_DATA_DIR: folder }), new Date()))!
  const server = createServer({ cert, key }).listen(0, '127.0.0.1')
  server.on('upgrade', ({ headers }, socket) => socket.end(welcome(headers)))
  await once(server, 'listening')
  const target = {
    port: (server.address() as AddressInfo).port,
    ca: readFileSync(join(folder, 'tls/ca.pem'), 'utf8'),
  }
  await expect(connectMany(target, 1)).rejects.toThrow('closed with 1006 before it was ready')
  server.close()
  rmSync(folder, { recursive: true })
})

/** Of a WebSocket server, by RFC 6455. */
function welcome(headers: IncomingHttpHeaders): string {
  const accept = createHash('sha1').update(
    `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
  )
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept.digest('base64')}`,
    `Sec-WebSocket-Protocol: ${headers['sec-websocket-protocol']!.split(',')[0]}`,
    '\r\n',
  ].join('\r\n')
}
