// The models and the processes that run them.

import { availableParallelism } from 'node:os'
import { INSTALLATION } from '../../installation.ts'
import { integer, oneOf, path } from '../parse.ts'
import { duration, type SettingsTable, setting } from '../setting.ts'

export const RECOGNISER = {
  modelsDir: setting('SAUTI_MODELS_DIR', path, INSTALLATION.models, 'Folder with the models.', {
    fallbackText: 'models',
  }),
  recogniserWorkers: setting(
    'SAUTI_RECOGNISER_WORKERS',
    integer(1, 256),
    Math.max(1, availableParallelism() - 1),
    'Number of engines: processes that recognise speech, each on one core.',
    { fallbackText: 'cores - 1' },
  ),
  recogniserThreads: setting(
    'SAUTI_RECOGNISER_THREADS',
    integer(1, 64),
    1,
    'Threads of the neural network runtime per engine.',
  ),
  executionProvider: setting(
    'SAUTI_EXECUTION_PROVIDER',
    oneOf('cpu', 'cuda'),
    'cpu',
    'Hardware that the models run on.',
  ),
  languageModel: setting(
    'SAUTI_LANGUAGE_MODEL',
    oneOf('on', 'off'),
    'on',
    '`off`: the models spell by sound alone, without their language models. This allows more streams per core, but more words are misspelled.',
  ),
  maxStreams: setting(
    'SAUTI_MAX_STREAMS',
    integer(1, 100_000),
    undefined,
    'Maximum number of streams. By default, the recogniser measures how many it can run in real time.',
    { fallbackText: 'measured' },
  ),
  engineWaitMs: duration(
    'SAUTI_ENGINE_WAIT_SECONDS',
    10,
    'How long a new stream may wait for a free slot in the recogniser.',
  ),
} as const satisfies SettingsTable
