// Sends a WAVE file (mono, 16 kHz, 16 bits) and prints its text. Both halves of the SDK in one place, because this is a server.

import { readFile } from 'node:fs/promises'
import { openLiveSession, SautiClient } from '@sauti/client'
import WebSocket from 'ws'

const [model, file] = process.argv.slice(2)
if (!file) throw new Error('usage: node transcribe.mjs MODEL FILE.wav')
const { SAUTI_URL = 'https://localhost:8443', SAUTI_API_KEY } = process.env

// 1. The server half: reserve audio time with the API key.
const sauti = new SautiClient({ baseUrl: SAUTI_URL, apiKey: SAUTI_API_KEY })
const session = await sauti.createSession({ model, max_audio_seconds: 300 })

// 2. The live half. Node 20 has no WebSocket of its own; from Node 22 on `connect` can be left out.
const live = openLiveSession(session, { connect: (url, protocols) => new WebSocket(url, protocols) })
live.on('delta', ({ append }) => process.stderr.write(append))

// 3. Audio goes out as fast as the service takes it: send() waits where it must.
const WAVE_HEADER_BYTES = 44
const pcm = (await readFile(file)).subarray(WAVE_HEADER_BYTES)
await live.send(pcm)

// 4. The final text, with the time of every word.
const { text, words } = await live.flush()
await live.close()
process.stderr.write('\n')
console.log(text)
for (const word of words) console.log(`${(word.start_ms / 1000).toFixed(2)}\t${word.text}`)
