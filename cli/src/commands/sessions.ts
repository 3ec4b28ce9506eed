// sauti sessions cancel: give back a session that was not opened.

import type { Command, Options, Result } from '../command.ts'
import { readId } from '../options.ts'
import { explainFailure } from '../service/explain-failure.ts'
import { openService, SERVICE_OPTIONS } from '../service/settings.ts'

export const sessionCommands: readonly Command[] = [
  {
    name: 'sessions cancel',
    options: {
      ...SERVICE_OPTIONS,
      session: { value: 'ID', description: 'ID of the session.', required: true },
    },
    positional: 'session',
    examples: ['sauti sessions cancel 01234567-89ab-4cde-8f01-23456789abcd'],
    run: cancel,
  },
]

async function cancel(options: Options): Promise<Result> {
  const id = readId(options, 'session')
  const session = await openService(options)
    .client.cancelSession(id)
    .catch(error => {
      throw explainFailure(error)
    })
  return { json: session, text: `session ${id} is cancelled` }
}
