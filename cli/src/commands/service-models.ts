// sauti models: what a service can recognise.

import type { Command, Options, Result } from '../command.ts'
import { alignColumns } from '../help.ts'
import { explainFailure } from '../service/explain-failure.ts'
import { openService, SERVICE_OPTIONS } from '../service/settings.ts'

export const serviceModelsCommand: Command = {
  name: 'models',
  options: { url: SERVICE_OPTIONS.url, ca: SERVICE_OPTIONS.ca },
  examples: ['sauti models', 'sauti models --url https://sauti.example --json'],
  run: listModels,
}

async function listModels(options: Options): Promise<Result> {
  const models = await openService(options)
    .client.models()
    .catch(error => {
      throw explainFailure(error)
    })
  const rows = models.map(model => [
    model.id,
    model.language,
    model.language_code,
    `${model.max_audio_seconds} s`,
  ])
  return { json: { models }, text: alignColumns([['MODEL', 'LANGUAGE', 'CODE', 'LONGEST SESSION'], ...rows]) }
}
