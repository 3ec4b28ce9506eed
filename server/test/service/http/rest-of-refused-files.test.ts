// A client that goes on sending after its answer cannot hold the connection: neither slowly nor without end.

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openControlPlane } from '../../support/service/control-plane.ts'
import { serveTestTranscriptions } from '../../support/service/transcriptions.ts'

const limits = { fileMaxMs: 600_000, fileMaxBytes: 32_000_000 }
const extend: Parameters<typeof openControlPlane>[1] = {
  extend: (app, parts) => serveTestTranscriptions(app, parts, limits),
}
const patient = await openControlPlane({}, { ...extend, rest: { ms: 600_000, bytes: 4_000_000 } })
const generous = await openControlPlane({}, { ...extend, rest: { ms: 500, bytes: 2 ** 40 } })

/** A request without a key that announces a file without end, and has its refusal. */
async function sendUntilRefused(port: number, path: string, contentType: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  // The other side may reset a connection on which bytes are still under way.
  socket.on('error', () => undefined)
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${contentType}\r\n`
  socket.write(`${head}content-length: 1000000000000\r\n\r\n`)
  let answer = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    answer += chunk
    if (answer.includes('\r\n\r\n')) break
  }
  expect(answer).toMatch(/^HTTP\/1.1 401 /)
  return socket
}

/** Resolves when the service has closed the connection; until then more is sent. */
async function sendOn(socket: Socket, piece: Buffer, everyMs: number): Promise<number> {
  let sent = 0
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  socket.resume()
  while (!socket.destroyed) {
    const flushed = new Promise<void>(resolve => socket.write(piece, () => resolve()))
    sent += piece.length
    await Promise.race([closed, flushed.then(() => sleep(everyMs))])
  }
  return sent
}

describe.each([
  ['/v1/listen', 'audio/wav'],
  ['/v1/audio/transcriptions', 'multipart/form-data; boundary=x'],
])('after a refusal on %s', (path, contentType) => {
  it('a slow sender is cut off', async () => {
    const socket = await sendUntilRefused(generous.port, path, contentType)
    await sendOn(socket, Buffer.alloc(1), 20)
  })

  it('a sender without end is cut off', async () => {
    const socket = await sendUntilRefused(patient.port, path, contentType)
    expect(await sendOn(socket, Buffer.alloc(65_536), 1)).toBeGreaterThan(4_000_000)
  })
})
