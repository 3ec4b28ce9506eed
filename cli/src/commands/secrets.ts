// sauti secrets rotate: a new secret for a service that keeps its own in the data folder.

import { rotateKeptSecret } from '@sauti/server/secret.js'
import { readCommandConfig } from '@sauti/server/settings/config.js'
import { type Command, Failure, type Result } from '../command.ts'

export const secretCommands: readonly Command[] = [
  {
    name: 'secrets rotate',
    options: {},
    examples: ['sauti secrets rotate'],
    run: rotate,
  },
]

async function rotate(): Promise<Result> {
  const { secret, dataDir } = readCommandConfig()
  if (secret !== undefined) {
    throw new Failure(
      'the secret comes from SAUTI_SECRET: put its value into SAUTI_SECRET_PREVIOUS and a new one into SAUTI_SECRET',
    )
  }
  process.umask(0o077)
  rotateKeptSecret(dataDir)
  return { json: { rotated: true }, text: 'The secret was replaced. Restart the service to use it.' }
}
