// The documentation's tables of the foreign interfaces say what the code does, and name every option that the official clients have.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { DEEPGRAM_OPTIONS } from '#server/foreign/deepgram/option-table.js'
import { TRANSCRIPTION_FIELDS } from '#server/http/transcriptions/options.js'

const readPage = (path: string) =>
  readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8').replaceAll('\r', '')
const compatible = readPage('reference/compatible.md')

/** Declarations of a package from npm, as its users see them. */
function readTypes(name: string, path: string): string {
  const entry = fileURLToPath(import.meta.resolve(name))
  const root = entry.slice(0, entry.lastIndexOf(`node_modules/${name}/`) + `node_modules/${name}/`.length)
  return readFileSync(root + path, 'utf8')
}

/** Names of the fields of an interface, without those of types inside it. */
function fieldsOf(types: string, name: string): string[] {
  const pattern = new RegExp(`interface ${name}\\b[^{]*\\{\\n(.*?)\\n( *)\\}`, 's')
  const [, body = ''] = pattern.exec(types) ?? []
  const indent = /^ */.exec(body)![0]
  return [...body.matchAll(new RegExp(`^${indent}([a-z_]+)\\??:`, 'gm'))].map(match => match[1]!)
}

function rowsOf(section: string): string[][] {
  return [...section.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, support]) => [name!, support!])
}

const DEEPGRAM = 'dist/esm/api/resources/listen/resources/v1'
const liveOptions = () =>
  fieldsOf(readTypes('@deepgram/sdk', `${DEEPGRAM}/client/Client.d.mts`), 'ConnectArgs')
const fileOptions = () =>
  fieldsOf(
    readTypes('@deepgram/sdk', `${DEEPGRAM}/resources/media/client/requests/ListenV1RequestUrl.d.mts`),
    'ListenV1RequestUrl',
  )

describe("Deepgram's options", () => {
  it('are all in the documentation, with what becomes of them', () => {
    const [, section = ''] = /### Options(.*?)### Messages/s.exec(compatible) ?? []
    expect(rowsOf(section)).toEqual(
      Object.entries(DEEPGRAM_OPTIONS).map(([name, { support }]) => [name, support]),
    )
  })

  it('are all that its client has', () => {
    // Of the connection itself, and an address to fetch from, which the documentation refuses in words.
    const others = ['protocols', 'headers', 'debug', 'queryParams', 'reconnectAttempts', 'url']
    const known = Object.keys(DEEPGRAM_OPTIONS)
    for (const options of [liveOptions(), fileOptions()]) {
      expect(options.length).toBeGreaterThan(25)
      expect(options.filter(name => !known.includes(name) && !others.includes(name))).toEqual([])
    }
  })
})

describe("OpenAI's fields of a file", () => {
  it('are all in the documentation, with what becomes of them', () => {
    const [, section = ''] = /(\| Field \| Support .*?)\n\n/s.exec(readPage('guides/files.md')) ?? []
    const rows = Object.entries(TRANSCRIPTION_FIELDS).map(([name, { support }]) => [name, support])
    const byName = (one: string[], other: string[]) => one[0]!.localeCompare(other[0]!)
    expect(rowsOf(section).sort(byName)).toEqual([...rows, ['file', 'works']].sort(byName))
  })

  it('are all that its client has', () => {
    const types = readTypes('openai', 'resources/audio/transcriptions.d.ts')
    const fields = fieldsOf(types, 'TranscriptionCreateParamsBase')
    expect(fields.length).toBeGreaterThan(10)
    const known = [...Object.keys(TRANSCRIPTION_FIELDS), 'file']
    expect(fields.filter(name => !known.includes(name))).toEqual([])
  })
})

describe("OpenAI's settings of a transcription session", () => {
  it.each([
    ['RealtimeTranscriptionSessionCreateRequest', ''],
    ['RealtimeTranscriptionSessionAudioInput', 'audio.input.'],
    ['AudioTranscription', 'audio.input.transcription.'],
    ['ServerVad', 'audio.input.turn_detection.'],
  ])('%s are all in the documentation', (name, prefix) => {
    const types = readTypes('openai', 'resources/realtime/realtime.d.ts')
    const [, section = ''] = /### Session settings(.*?)### Events/s.exec(compatible) ?? []
    // The last of that name belongs to transcriptions; the earlier ones to sessions that answer.
    const from = types.lastIndexOf(`interface ${name} `)
    const fields = fieldsOf(types.slice(from), name)
    expect(fields.length).toBeGreaterThan(2)
    const documented = fields.filter(field => section.includes(`\`${prefix}${field}`))
    // One row says all of it.
    const covered = prefix.endsWith('turn_detection.') ? ['silence_duration_ms'] : []
    expect(fields.filter(field => !documented.includes(field) && !covered.includes(field))).toEqual([])
  })
})
