// The peer: a plain `ws` server with sherpa-onnx, as somebody would write it in an hour. No TLS, no accounts, no language model.

import { MODELS } from '@sauti/protocol/models'
import { type WebSocket, WebSocketServer } from 'ws'
import { Sherpa } from '../engine/sherpa.ts'

const [, , modelsDir] = process.argv
const recognisers = new Map(MODELS.map(({ id }) => [id as string, new Sherpa(`${modelsDir}/${id}`)]))
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })

server.on('connection', (socket, request) => serve(socket, recognisers.get(request.url!.slice(1))!))
server.on('listening', () => process.send!({ port: (server.address() as { port: number }).port }))
process.on('message', () => process.exit(0))

function serve(socket: WebSocket, sherpa: Sherpa): void {
  let utterance = sherpa.begin()
  let told = ''
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      const text = utterance.hear(
        new Int16Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length)),
      )
      if (text !== told) socket.send(JSON.stringify({ type: 'delta', text }))
      told = text
    } else {
      socket.send(JSON.stringify({ type: 'final', text: utterance.finish() }))
      utterance = sherpa.begin()
      told = ''
    }
  })
  socket.send('{"type":"ready"}')
}
