// A telephone call, live: Twilio sends the sound of a call as mu-law over a WebSocket, and the service hears it as it is. The service also
// decides when the caller has finished a sentence.

import { createServer } from 'node:http'
import { SautiClient } from '@sauti/client'
import WebSocket, { WebSocketServer } from 'ws'

const { SAUTI_URL = 'https://localhost:8443', SAUTI_API_KEY, PORT = '8090', PUBLIC_HOST } = process.env
const MODEL = process.argv[2] ?? 'svc-asr-kikuyu-v1'
const MAX_WAITING_FRAMES = 500
const sauti = new SautiClient({ baseUrl: SAUTI_URL, apiKey: SAUTI_API_KEY })

// 1. Twilio asks what to do with a call: stream it to us. Set this address as the number's webhook.
const server = createServer(({ headers }, response) => {
  const host = PUBLIC_HOST ?? headers.host
  response.setHeader('content-type', 'text/xml')
  response.end(`<Response><Connect><Stream url="wss://${host}/media"/></Connect></Response>`)
})

// 2. Each call is a WebSocket of Twilio's, and gets a stream of ours.
new WebSocketServer({ server, path: '/media' }).on('connection', call => {
  answer(call).catch(error => {
    console.error(error.message)
    call.close()
  })
})

async function answer(call) {
  const waiting = []
  let ready = false
  let stream
  call.on('message', text => {
    const { event, media } = JSON.parse(text)
    if (event === 'stop') stream?.send('{"type":"flush"}')
    if (event !== 'media') return
    const sound = Buffer.from(media.payload, 'base64')
    if (ready) stream.send(sound)
    else if (waiting.length < MAX_WAITING_FRAMES) waiting.push(sound)
  })
  const session = await sauti.createSession({ model: MODEL, max_audio_seconds: 300 })
  stream = new WebSocket(session.websocket_url, session.websocket_protocols)
  stream.on('error', error => console.error(error.message))
  stream.on('close', () => call.close())
  call.on('close', () => stream.close())
  stream.on('message', text => {
    const event = JSON.parse(text)
    if (event.type === 'ready') {
      // 3. Sound of the telephone, and sentences that end by themselves.
      const audio = { encoding: 'mulaw', sample_rate_hz: 8000 }
      stream.send(JSON.stringify({ type: 'config', audio, endpointing: { silence_ms: 700 } }))
    }
    if (event.type === 'config_ack') {
      ready = true
      for (const sound of waiting.splice(0)) stream.send(sound)
    }
    if (event.type === 'final' && event.text) console.log(event.text)
    if (event.type === 'error') console.error(event.message)
  })
}

server.listen(Number(PORT), () => console.error(`http://localhost:${server.address().port}`))
