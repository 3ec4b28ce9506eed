// The code that does on a server what was just done in the page: same model, same settings.

import { LOOK_AHEADS } from '@sauti/protocol/audio'
import { runNode, type Server } from '../pages/keys/snippets.ts'
import type { Snippet } from '../ui/code.tsx'
import { languageOf } from '../ui/format.ts'
import type { Last } from './use-playground.ts'

export function codeForRun({ settings, kind }: Last, server: Server): readonly Snippet[] {
  const language = languageOf(settings.model).toLowerCase()
  const flags = [
    `--model ${language}`,
    ...(settings.lookAhead === LOOK_AHEADS[0] ? [] : [`--look-ahead ${settings.lookAhead}`]),
    ...(settings.phrases.length > 0 ? ['--phrases phrases.txt'] : []),
    kind === 'microphone' ? '--microphone' : 'recording.mp3',
  ]
  return [
    {
      name: 'TypeScript',
      file: 'transcribe.mjs',
      run: runNode(server),
      code: typescript(settings, server.base_url),
    },
    { name: 'Command line', code: `sauti transcribe ${flags.join(' ')}` },
  ]
}

function typescript({ model, lookAhead, phrases }: Last['settings'], baseUrl: string): string {
  const chosen = [
    ...(lookAhead === LOOK_AHEADS[0] ? [] : [`lookAhead: ${lookAhead}`]),
    ...(phrases.length > 0 ? [`phrases: ${JSON.stringify(phrases)}`] : []),
  ]
  return `import { createReadStream } from 'node:fs'
import { openContinuousStream, SautiClient } from '@sauti/client'
import { WebSocket } from 'ws'

const client = new SautiClient({
  baseUrl: '${baseUrl}',
  apiKey: process.env.SAUTI_API_KEY,
})
const stream = openContinuousStream({
  client,
  model: '${model}',
  isRecording: true,${chosen.length === 0 ? '' : `\n  settings: { ${chosen.join(', ')} },`}
  connect: (url, protocols) => new WebSocket(url, protocols),
})
stream.on('final', ({ text }) => console.log(text))
// ffmpeg -i recording.mp3 -ac 1 -ar 16000 -f s16le recording.pcm
const recording = createReadStream('recording.pcm')
for await (const part of recording) await stream.send(part)
await stream.finish()`
}
