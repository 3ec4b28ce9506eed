// sauti quickstart: starts the service, makes an account with credit, and transcribes a bundled recording of each language
// through the public API. Then the service runs until Ctrl-C.

import { join } from 'node:path'
import { readCommandConfig } from '@sauti/server/settings/config.js'
import { type Command, Failure, type Options } from '../command.ts'
import { provideKey } from '../quickstart/demonstration-account.ts'
import { runSauti } from '../quickstart/run-sauti.ts'
import { chooseSamples, type Sample } from '../quickstart/samples.ts'
import { type RunningService, startService } from '../quickstart/service-process.ts'

export const quickstartCommand: Command = {
  name: 'quickstart',
  options: { once: { description: 'Stop the service after the transcripts.' } },
  examples: ['sauti quickstart', 'SAUTI_DATA_DIR=/tmp/sauti sauti quickstart --once'],
  run: async options => ({ json: {}, text: '', exitCode: await quickstart(options) }),
}

async function quickstart(options: Options): Promise<number> {
  const { modelsDir, dataDir } = readCommandConfig()
  const samples = chooseSamples(modelsDir)
  if (samples.length === 0) throw new Failure(`there is no recording in ${join(modelsDir, 'samples')}`)
  console.log('Starting the service (the first time it also makes its database) ...')
  const service = await startService()
  try {
    const key = await provideKey({ dataDir, url: service.url })
    describeService(service, dataDir)
    for (const sample of samples) await transcribe({ url: service.url, dataDir, key, sample })
  } catch (error) {
    await service.stop()
    throw error
  }
  if (options.flag('once')) await service.stop()
  else console.log('\nThe service runs until Ctrl-C.')
  return service.ended
}

function describeService({ url }: RunningService, dataDir: string): void {
  console.log(`API      ${url}/v1/models   (curl --cacert ${join(dataDir, 'tls/ca.pem')})`)
  console.log(`Docs     ${url}/docs`)
  console.log(`Console  ${url}/`)
  console.log(`Data     ${dataDir}`)
}

interface Order {
  readonly url: string
  readonly dataDir: string
  readonly key: string
  readonly sample: Sample
}

async function transcribe({ url, dataDir, key, sample }: Order): Promise<void> {
  const { model, language, file, words } = sample
  const env = { SAUTI_URL: url, SAUTI_API_KEY: key, SAUTI_CA: join(dataDir, 'tls/ca.pem') }
  const { transcripts } = await runSauti<{ transcripts: { text: string }[] }>(
    ['transcribe', '--model', model, file],
    env,
  )
  console.log(`\nTranscribed ${file} (${language}):`)
  console.log(`  heard   ${transcripts[0]?.text}\n  spoken  ${words}`)
}
