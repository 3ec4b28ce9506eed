// Code that works when it is pasted: the key comes from SAUTI_API_KEY, the address is this server's. SAUTI_CA names the
// certificate of a server that made its own; everywhere else it is not set and changes nothing.

import type { Snippet } from '../ui/code.tsx'

/** Of the package that the service offers for download; put in by the build. */
declare const __CLIENT_VERSION__: string

export function keySnippets(baseUrl: string): readonly Snippet[] {
  return [
    { name: 'curl', code: curl(baseUrl) },
    { name: 'TypeScript', code: typescript(baseUrl) },
    { name: 'Python', code: python(baseUrl) },
  ]
}

function curl(baseUrl: string): string {
  return `# What is left:
curl \${SAUTI_CA:+--cacert "$SAUTI_CA"} ${baseUrl}/v1/usage \\
  -H "Authorization: Bearer $SAUTI_API_KEY"

# A session for your client. Its answer is a secret that works once, for 60 seconds:
curl \${SAUTI_CA:+--cacert "$SAUTI_CA"} ${baseUrl}/v1/asr/sessions \\
  -H "Authorization: Bearer $SAUTI_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "svc-asr-kikuyu-v1", "max_audio_seconds": 60}'`
}

function typescript(baseUrl: string): string {
  return `// npm install ${baseUrl}/downloads/sauti-client-${__CLIENT_VERSION__}.tgz ws
// speech.wav: mono, 16 kHz, 16 bit
import { readFile } from 'node:fs/promises'
import { openLiveSession, SautiClient } from '@sauti/client'
import { WebSocket } from 'ws'

const client = new SautiClient({
  baseUrl: '${baseUrl}',
  apiKey: process.env.SAUTI_API_KEY,
})
const session = await client.createSession({ model: 'svc-asr-kikuyu-v1' })
const live = openLiveSession(session, {
  connect: (url, protocols) => new WebSocket(url, protocols),
})
live.on('delta', event => console.log('…', event.text))
const wav = await readFile('speech.wav')
await live.send(wav.subarray(44))
const { text } = await live.flush()
console.log(text)
await live.close()`
}

function python(baseUrl: string): string {
  return `# pip install httpx websockets
# speech.wav: mono, 16 kHz, 16 bit
import asyncio, json, os, wave
import httpx, websockets

async def main():
    answer = httpx.post(
        "${baseUrl}/v1/asr/sessions",
        headers={"Authorization": f"Bearer {os.environ['SAUTI_API_KEY']}"},
        json={"model": "svc-asr-kikuyu-v1"},
    )
    answer.raise_for_status()
    session = answer.json()
    async with websockets.connect(
        session["websocket_url"], subprotocols=session["websocket_protocols"]
    ) as socket:
        async for message in socket:
            event = json.loads(message)
            if event["type"] == "ready":
                with wave.open("speech.wav") as audio:
                    while frame := audio.readframes(16000):
                        await socket.send(frame)
                await socket.send(json.dumps({"type": "flush"}))
            if event["type"] in ("delta", "final"):
                print(event["text"])
            if event["type"] == "final":
                break

asyncio.run(main())`
}
