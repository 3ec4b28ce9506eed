// Code that works as pasted: the key comes from SAUTI_API_KEY, the address is this server's. SAUTI_CA names the certificate
// authority of a server that made its own; elsewhere the code does not mention it.

import type { Me } from '@sauti/protocol/console'
import type { Snippet } from '../../ui/code.tsx'

/** Of the package that the service offers for download; put in by the build. */
declare const __CLIENT_VERSION__: string

const MODEL = 'svc-asr-kikuyu-v1'

export type Server = Pick<Me, 'base_url' | 'local_authority'>

/** Node has no other way to trust one more authority than this variable. */
export function runNode({ local_authority: isLocal }: Server): string {
  return `${isLocal ? 'NODE_EXTRA_CA_CERTS=$SAUTI_CA ' : ''}node transcribe.mjs`
}

export function keySnippets(server: Server, version = __CLIENT_VERSION__): readonly Snippet[] {
  const { base_url: baseUrl } = server
  const npmPackage = `sauti-client-${version}.tgz`
  const pythonPackage = `sauti-${version}-py3-none-any.whl`
  return [
    { name: 'curl', before: prepare(server), code: transcribeWithCurl(server) },
    {
      name: 'TypeScript',
      before: `${prepare(server, npmPackage)}
npm install ./${npmPackage} ws`,
      file: 'transcribe.mjs',
      code: typescript(baseUrl),
      run: runNode(server),
    },
    {
      name: 'Python',
      before: `${prepare(server, pythonPackage)}
pip install ./${pythonPackage}`,
      file: 'transcribe.py',
      code: python(baseUrl),
      run: 'python3 transcribe.py',
    },
  ]
}

/**
 * The key, a recording to try, and a package. curl fetches them, because it can be told the authority; npm and pip would have to
 * be told in ways of their own.
 */
function prepare(server: Server, ...files: readonly string[]): string {
  const addresses = ['kikuyu-1.wav', ...files].map(file => `-O ${server.base_url}/downloads/${file}`)
  return `export SAUTI_API_KEY=svc_live_v1_...   # your key
${curl(server)} ${addresses.join(' \\\n  ')}`
}

function curl({ local_authority: isLocal }: Server): string {
  return isLocal ? 'curl --cacert "$SAUTI_CA"' : 'curl'
}

/** The simplest way first: one file in, one transcript out. */
function transcribeWithCurl(server: Server): string {
  return `${curl(server)} ${server.base_url}/v1/audio/transcriptions \\
  -H "Authorization: Bearer $SAUTI_API_KEY" \\
  -F model=${MODEL} \\
  -F file=@kikuyu-1.wav`
}

function typescript(baseUrl: string): string {
  return `import { readFile } from 'node:fs/promises'
import { openContinuousStream, SautiClient } from '@sauti/client'
import { WebSocket } from 'ws'

const client = new SautiClient({
  baseUrl: '${baseUrl}',
  apiKey: process.env.SAUTI_API_KEY,
})
const stream = openContinuousStream({
  client,
  model: '${MODEL}',
  isRecording: true,
  connect: (url, protocols) => new WebSocket(url, protocols),
})
stream.on('final', ({ text }) => console.log(text))
stream.on('waiting', ({ message }) => console.error('Waiting:', message))

const wav = await readFile('kikuyu-1.wav') // mono, 16 kHz, 16 bit
await stream.send(wav.subarray(44)) // without the header of the file
await stream.finish()`
}

function python(baseUrl: string): string {
  return `import asyncio, os, wave
from sauti import Sauti

async def main():
    client = Sauti("${baseUrl}", api_key=os.environ["SAUTI_API_KEY"])
    async with client.continuous("${MODEL}") as stream:
        stream.on_final = lambda final: print(final["text"])
        with wave.open("kikuyu-1.wav") as audio:  # mono, 16 kHz, 16 bit
            while frames := audio.readframes(16000):
                await stream.send(frames)
        await stream.finish()

asyncio.run(main())`
}
