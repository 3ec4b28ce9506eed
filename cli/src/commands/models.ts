// sauti models ...: what the recogniser serves.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isModelId, MODEL_IDS, type ModelId } from '@sauti/protocol/models'
import type { Manifest } from '@sauti/server/recogniser/package/manifest.js'
import { readCommandConfig } from '@sauti/server/settings/config.js'
import { type Command, Failure, type Options, type Result, UsageError } from '../command.ts'
import { alignColumns } from '../help.ts'

export const modelCommands: readonly Command[] = [
  {
    name: 'models list',
    options: {},
    examples: ['sauti models list', 'sauti models list --json'],
    run: list,
  },
  {
    name: 'models import',
    options: {
      from: {
        value: 'DIR',
        description:
          'A package, or a folder with encoder, decoder, joiner (.onnx or .int8.onnx) and tokens.txt.',
        required: true,
      },
      as: { value: 'MODEL', description: `${MODEL_IDS.join(' or ')}.`, required: true },
      prompt: {
        value: 'LANG',
        description: 'Language prompt of a multilingual model. Default: that of the model, or automatic.',
      },
      'model-version': {
        value: 'V',
        description: 'Version to record. Default: that of the package, or 1.0.0.',
      },
      licence: {
        value: 'NAME',
        description: 'Licence of the weights. Default: that of the package, or "see the card".',
      },
    },
    positional: 'from',
    examples: [
      'sauti models import ./larger/svc-asr-kikuyu-v1 --as svc-asr-kikuyu-v1',
      'sauti models import ./nemotron-3.5-asr-streaming-0.6b-1120ms --as svc-asr-dholuo-v1',
      'sauti models import ./export --as svc-asr-kikuyu-v1 --prompt auto --licence OpenMDW-1.1',
    ],
    run: importExport,
  },
]

/** Loads the recogniser, which no other command should wait for. */
async function loadPackages() {
  const [packages, { importModel }] = await Promise.all([
    import('@sauti/server/recogniser/package/model-package.js'),
    import('@sauti/server/recogniser/package/import-model.js'),
  ])
  return { ...packages, importModel }
}

async function list(): Promise<Result> {
  const { modelsDir } = readCommandConfig()
  const checked = await Promise.all(MODEL_IDS.map(model => check(model, join(modelsDir, model))))
  const rows = checked.map(({ model, manifest, problem }) => [
    model,
    manifest?.version ?? '-',
    problem ?? 'whole',
  ])
  return {
    json: {
      models: checked.map(({ model, manifest, problem }) => ({ model, problem, version: manifest?.version })),
    },
    text: alignColumns([['MODEL', 'VERSION', 'STATE'], ...rows]),
    exitCode: checked.some(({ problem }) => problem !== undefined) ? 1 : 0,
  }
}

interface Checked {
  readonly model: ModelId
  readonly manifest?: Manifest
  readonly problem?: string
}

async function check(model: ModelId, folder: string): Promise<Checked> {
  if (!existsSync(folder)) return { model, problem: `missing: there is no ${folder}` }
  const { openModelPackage, PackageError } = await loadPackages()
  try {
    return { model, manifest: (await openModelPackage(folder)).manifest }
  } catch (error) {
    if (error instanceof PackageError) return { model, problem: error.message }
    throw error
  }
}

async function importExport(options: Options): Promise<Result> {
  const model = options.required('as')
  if (!isModelId(model)) throw new UsageError(`--as must be one of ${MODEL_IDS.join(', ')}`)
  const from = resolve(options.required('from'))
  if (!existsSync(from)) throw new Failure(`there is no folder ${from}`)
  const { modelsDir, executionProvider, recogniserThreads } = readCommandConfig()
  const { importModel, PackageError } = await loadPackages()
  try {
    const manifest = await importModel({
      from,
      model,
      modelsDir,
      version: options.text('model-version'),
      licence: options.text('licence'),
      prompt: options.text('prompt'),
      sessions: { provider: executionProvider, threads: recogniserThreads },
    })
    return {
      json: { model, folder: join(modelsDir, model), manifest },
      text: describe(model, modelsDir, manifest),
    }
  } catch (error) {
    if (error instanceof PackageError) throw new Failure(error.message, { cause: error })
    throw error
  }
}

function describe(model: ModelId, modelsDir: string, manifest: Manifest): string {
  const { encoder, features, look_aheads, prompt_index } = manifest
  const prompt = prompt_index === null ? '' : `, prompt ${prompt_index}`
  return [
    `${model} was checked by running it and is in ${join(modelsDir, model)}`,
    `${encoder.layers} caches of ${encoder.left} frames of width ${encoder.dim}, ${features.mel_bins} mel bins, look-aheads ${look_aheads.join(', ')}${prompt}`,
    'Restart the service to serve it.',
  ].join('\n')
}
