// sauti login: asks the service whether the key is valid, then saves address and key for this user.

import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { type Command, type Options, type Result, UsageError } from '../command.ts'
import { writeConfigFile } from '../service/config-file.ts'
import { explainFailure } from '../service/explain-failure.ts'
import { openService, SERVICE_OPTIONS } from '../service/settings.ts'

export const loginCommand: Command = {
  name: 'login',
  options: SERVICE_OPTIONS,
  examples: [
    'sauti login --url https://sauti.example',
    'sauti login --url https://sauti.example < key.txt',
    'sauti login --url https://sauti.example --ca authority.pem',
  ],
  run: login,
}

async function login(options: Options): Promise<Result> {
  const apiKey = options.text('api-key') ?? (await askForKey())
  if (apiKey === '') throw new UsageError('no API key was given')
  const withKey: Options = { ...options, text: name => (name === 'api-key' ? apiKey : options.text(name)) }
  const { client, settings } = openService(withKey)
  const { available_ms } = await client.usage().catch(error => {
    throw explainFailure(error)
  })
  const ca = settings.authorityFile === undefined ? {} : { ca: resolve(settings.authorityFile) }
  const path = writeConfigFile({ url: settings.url, api_key: apiKey, ...ca }, process.env)
  return {
    json: { url: settings.url, config_file: path, available_ms },
    text: `The key is valid: ${available_ms / 1000} seconds of credit at ${settings.url}. Saved in ${path}.`,
  }
}

/** One line from standard input; on a terminal, without showing what is typed. */
async function askForKey(): Promise<string> {
  const isTerminal = process.stdin.isTTY === true
  if (isTerminal) process.stderr.write('API key (not shown): ')
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: isTerminal })
  for await (const line of lines) {
    lines.close()
    if (isTerminal) process.stderr.write('\n')
    return line.trim()
  }
  return ''
}
