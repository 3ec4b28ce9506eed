// The bundled recordings, as the audio of the wire: speech that the models of the interface write down.

import { readFileSync } from 'node:fs'
import { MODEL_IDS } from '@sauti/protocol/models'
import { readCommandConfig } from '@sauti/server/settings/config.js'
import { Failure } from '../command.ts'
import { chooseSamples } from '../quickstart/samples.ts'

const WAVE_HEADER_BYTES = 44

export function readSpeech(): Record<string, Buffer> {
  const samples = chooseSamples(readCommandConfig().modelsDir)
  if (samples.length < MODEL_IDS.length) throw new Failure('the bundled recordings are missing')
  return Object.fromEntries(
    samples.map(({ model, file }) => [model, readFileSync(file).subarray(WAVE_HEADER_BYTES)]),
  )
}
