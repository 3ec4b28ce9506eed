// Every piece of TypeScript and Python in the documentation: copied from the page and run against the service that shows it.
// What is only a part of a program gets the lines around it that the page takes for granted.

import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copySnippet, listSnippets } from '../../support/docs-snippets.ts'
import { isMissing, pathOf } from '../../support/programs.ts'
import { countWordErrors, MODELS_DIR, readSamples } from '../../support/recogniser/samples.ts'
import { createCustomer } from '../../support/service/customer.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const KIKUYU = readSamples('ki')[0]!
const DHOLUO = readSamples('luo')[0]!

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startTestService({ env: { SAUTI_MODELS_DIR: MODELS_DIR } })
  // Below the packages of the repository, so that they are found.
  folder = mkdtempSync(join(ROOT, 'node_modules', '.docs-'))
  copyFileSync(KIKUYU.path, join(folder, 'kikuyu-1.wav'))
  writeFileSync(join(folder, 'talk.pcm'), DHOLUO.pcm)
  if (isMissing('ffmpeg')) return
  await run(pathOf('ffmpeg'), ['-v', 'error', '-i', KIKUYU.path, join(folder, 'talk.mp3')])
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function environment(): Promise<NodeJS.ProcessEnv> {
  const { key } = await createCustomer(service.database, new Date())
  const authority = join(service.dataDir, 'tls', 'ca.pem')
  return {
    PATH: process.env.PATH,
    PYTHONPATH: join(ROOT, 'clients/python'),
    SAUTI_URL: service.baseUrl,
    SAUTI_API_KEY: key,
    SAUTI_CA: authority,
    NODE_EXTRA_CA_CERTS: authority,
    SSL_CERT_FILE: authority,
  }
}

async function runNode(code: string): Promise<string> {
  const file = join(folder, `${performance.now()}.mjs`)
  writeFileSync(file, code)
  const { stdout } = await run(process.execPath, [file], { cwd: folder, env: await environment() })
  return stdout
}

async function runPython(code: string): Promise<string> {
  const file = join(folder, `${performance.now()}.py`)
  writeFileSync(file, code)
  const { stdout } = await run(pathOf('python'), ['-B', file], { cwd: folder, env: await environment() })
  return stdout
}

function expectWords(printed: string, { text }: { text: string } = KIKUYU): void {
  expect(countWordErrors(printed, text), printed).toBeLessThanOrEqual(2)
}

const CREATE_SESSION = `import { readFile } from 'node:fs/promises'
import { openLiveSession, SautiClient } from '@sauti/client'
import { WebSocket } from 'ws'
const pcm = (await readFile('kikuyu-1.wav')).subarray(44)
const client = new SautiClient({ baseUrl: process.env.SAUTI_URL, apiKey: process.env.SAUTI_API_KEY })
const session = await client.createSession({ model: 'svc-asr-kikuyu-v1', max_audio_seconds: 60 })
`
const OPEN_LIVE = `${CREATE_SESSION}
const live = openLiveSession(session, { connect: (url, protocols) => new WebSocket(url, protocols) })
`
const SPEAK_AND_PRINT = `
await live.send(pcm)
console.log((await live.flush()).text)
await live.close()
`

interface Case {
  readonly page: string
  /** What the block contains, and no other of its page. */
  readonly phrase: string
  readonly program: 'node' | 'python' | 'another test' | 'not run'
  /** The block as part of a program. */
  readonly around?: (code: string) => string
  readonly check?: (printed: string) => void
}

const PYTHON_HEAD = `import asyncio, os, wave, websockets
from sauti import Sauti

client = Sauti(os.environ["SAUTI_URL"], api_key=os.environ["SAUTI_API_KEY"])
with open("talk.pcm", "rb") as audio:
    pcm = audio.read()

async def microphone():
    for at in range(0, len(pcm), 3200):
        yield pcm[at : at + 3200]

`
const asItIs = (code: string) => code
const indent = (code: string) => code.replaceAll(/^(?=.)/gm, '    ')
const inMain = (code: string) => `${PYTHON_HEAD}async def main():\n${indent(code)}\nasyncio.run(main())\n`

/** "1200 some words" of a line as the words alone. */
const withoutTimes = (printed: string) => printed.replaceAll(/\b\d+\b/g, ' ')
/** Growing text ends with a carriage return, so that the next words replace it. */
const withoutDeltas = (printed: string) => printed.replaceAll(/[^\n]*\r/g, '')
const lastLine = (printed: string) =>
  printed
    .trim()
    .split(/[\r\n]/)
    .at(-1)!

const CASES: readonly Case[] = [
  { page: 'guides/browser-relay', phrase: 'createServer', program: 'another test' },
  { page: 'guides/browser-relay', phrase: 'openLiveSession', program: 'another test' },
  { page: 'guides/browser-relay', phrase: 'openContinuousStream', program: 'another test' },
  // Vite makes the address; the playground is built in this way.
  { page: 'guides/browser-relay', phrase: 'workletUrl', program: 'not run' },
  {
    page: 'guides/files',
    phrase: 'OpenAI',
    program: 'node',
    check: expectWords,
  },
  {
    page: 'guides/files',
    phrase: "from 'ws'",
    program: 'node',
    check: printed => expectWords(withoutTimes(printed), DHOLUO),
  },
  {
    page: 'guides/files',
    phrase: 'asyncio.run',
    program: 'python',
    check: printed => expectWords(withoutTimes(printed), DHOLUO),
  },
  {
    page: 'guides/python',
    phrase: 'asyncio.run',
    program: 'python',
    check(printed) {
      const [text, summary] = printed.trim().split('\n')
      expectWords(text!)
      expect(summary).toMatch(/^\d+ ms of audio, \d+ ms billed$/)
    },
  },
  {
    page: 'guides/python',
    phrase: 'microphone()',
    program: 'python',
    around: inMain,
    check: printed => expectWords(withoutTimes(withoutDeltas(printed)), DHOLUO),
  },
  {
    page: 'guides/python',
    phrase: 'await live.flush()',
    program: 'python',
    around: code => inMain(`${code}    print("\\n" + final["text"])\n`),
    check: printed => expectWords(lastLine(printed), DHOLUO),
  },
  {
    page: 'guides/python',
    phrase: 'on_speech',
    program: 'python',
    around: code =>
      inMain(
        `async with client.stream("svc-asr-dholuo-v1", max_audio_seconds=60) as live:\n${code}
    await live.send(pcm + bytes(48000))\n    await live.flush()\n`,
      ),
    check(printed) {
      expect(printed).toMatch(/speech_started \d+[\s\S]*speech_ended \d+/)
      expectWords(withoutTimes(printed).replaceAll(/speech_\w+/g, ''), DHOLUO)
    },
  },
  {
    page: 'guides/latency',
    phrase: 'lookAhead',
    program: 'node',
    around: code =>
      `${OPEN_LIVE}const settings = ${code}console.log(JSON.stringify(settings))\nawait live.close()`,
    check: printed => expect(JSON.parse(printed)).toMatchObject({ chunk_samples: 8960 }),
  },
  {
    page: 'guides/endpointing',
    phrase: 'silenceMs',
    program: 'node',
    around: code => `${OPEN_LIVE}${code}
await live.send(pcm)
await live.send(new Int16Array(32_000))
await live.flush()
await live.close()`,
    check(printed) {
      expect(printed).toMatch(/^speaking since \d+\n/)
      expect(printed).toMatch(/\nsilent since \d+\n/)
      expectWords(/^silence (.*)$/m.exec(printed)![1]!)
    },
  },
  {
    page: 'guides/phrases',
    phrase: 'phrases:',
    program: 'node',
    around: code => OPEN_LIVE + code + SPEAK_AND_PRINT,
    check: expectWords,
  },
  // One line of the service's own source.
  { page: 'guides/your-language', phrase: 'svc-asr-luganda-v1', program: 'not run' },
  {
    page: 'reference/stream',
    phrase: 'new WebSocket',
    program: 'node',
    around: code => `${CREATE_SESSION}${code}
socket.onmessage = ({ data }) => {
  console.log(JSON.parse(data).type)
  if (JSON.parse(data).type === 'ready') socket.close()
}`,
    check: printed => expect(lastLine(printed)).toBe('ready'),
  },
  {
    page: 'reference/stream',
    phrase: 'websockets.connect',
    program: 'python',
    around: code =>
      inMain(`session = await client.create_session("svc-asr-kikuyu-v1", max_audio_seconds=10)
${code}
async for message in socket:
    print(message)
    if "ready" in message:
        break
await socket.close()
`),
    check: printed => expect(lastLine(printed)).toContain('"ready"'),
  },
  {
    page: 'reference/client',
    phrase: 'client.usage()',
    program: 'node',
    around: code => `${code}console.log(JSON.stringify(await client.usage()))`,
    check: printed => expect(JSON.parse(printed)).toMatchObject({ reserved_ms: 60_000 }),
  },
  {
    page: 'reference/compatible',
    phrase: 'DeepgramClient',
    program: 'node',
    check: expectWords,
  },
  {
    page: 'reference/compatible',
    phrase: 'OpenAIRealtimeWS',
    program: 'node',
    around: code => `${code}
import { execFileSync } from 'node:child_process'
session.on('session.created', () => {
  const toPcm = ['-v', 'error', '-i', 'kikuyu-1.wav', '-ar', '24000', '-f', 's16le', '-']
  const pcm = execFileSync('${pathOf('ffmpeg')}', toPcm)
  for (let at = 0; at < pcm.length; at += 96_000) speak(pcm.subarray(at, at + 96_000))
  speak(Buffer.alloc(96_000))
})
session.on('conversation.item.input_audio_transcription.completed', () => session.close())`,
    check: expectWords,
  },
]

describe('code of the documentation', () => {
  it('is all in the list', () => {
    for (const { page, code } of listSnippets()) {
      const known = CASES.filter(one => one.page === page && code.includes(one.phrase))
      expect(known, `${page}: ${code}`).toHaveLength(1)
    }
    expect(listSnippets()).toHaveLength(CASES.length)
  })

  for (const { page, phrase, program, around = asItIs, check } of CASES) {
    const [isNode, isPython] = [program === 'node', program === 'python']
    if (!check || !(isNode || isPython)) continue
    it.skipIf(isMissing('ffmpeg') || (isPython && isMissing('python')))(`${page}: ${phrase}`, async () => {
      const code = around(`${await copySnippet(service, page, phrase)}\n`)
      check(await (isNode ? runNode(code) : runPython(code)))
    })
  }
})
