// A telephone call, live: Twilio sends its sound as mu-law over a WebSocket, and the service hears it as it is and finds the ends of sentences.

import { createServer } from 'node:http'
import WebSocket, { WebSocketServer } from 'ws'

const { SAUTI_URL = 'https://localhost:8443', SAUTI_API_KEY, PORT = '8090', PUBLIC_HOST } = process.env
const MODEL = process.argv[2] ?? 'svc-asr-kikuyu-v1'
const OPTIONS = { model: MODEL, encoding: 'mulaw', sample_rate: '8000', endpointing: '700' }
const LISTEN_URL = `${SAUTI_URL.replace(/^http/, 'ws')}/v1/listen?${new URLSearchParams(OPTIONS)}`
const MAX_WAITING_FRAMES = 500 // ten seconds, until the stream is open

// 1. Twilio asks what to do with a call: stream it to us. Set this address as the number's webhook.
const server = createServer(({ headers }, response) => {
  const host = PUBLIC_HOST ?? headers.host
  response.setHeader('content-type', 'text/xml')
  response.end(`<Response><Connect><Stream url="wss://${host}/media"/></Connect></Response>`)
})

// 2. Each call is a WebSocket of Twilio's, and gets a stream of ours.
new WebSocketServer({ server, path: '/media' }).on('connection', call => {
  const stream = new WebSocket(LISTEN_URL, { headers: { authorization: `Token ${SAUTI_API_KEY}` } })
  const waiting = []
  let isOver = false
  call.on('error', () => call.terminate())
  const isOpen = () => stream.readyState === WebSocket.OPEN
  call.on('message', text => {
    const sound = readSound(text)
    if (sound && isOpen()) stream.send(sound)
    else if (sound && waiting.length < MAX_WAITING_FRAMES) waiting.push(sound)
  })
  // 3. Who hangs up has said something: the stream ends when its last words are there.
  const finish = () => stream.send('{"type":"CloseStream"}')
  call.on('close', () => {
    isOver = true
    if (isOpen()) finish()
  })
  stream.on('open', () => {
    for (const sound of waiting.splice(0)) stream.send(sound)
    if (isOver) finish()
  })
  stream.on('message', text => {
    const { type, channel, description } = JSON.parse(text)
    if (type === 'Results' && channel.alternatives[0].transcript)
      console.log(channel.alternatives[0].transcript)
    if (type === 'Error') console.error(description)
  })
  stream.on('error', error => console.error(error.message))
  stream.on('close', () => call.close())
})

// Anybody can connect: what is no sound of a call is left out.
function readSound(text) {
  try {
    const { event, media } = JSON.parse(text)
    return event === 'media' ? Buffer.from(media.payload, 'base64') : undefined
  } catch {
    return undefined
  }
}

server.listen(Number(PORT), () => console.error(`http://localhost:${server.address().port}`))
