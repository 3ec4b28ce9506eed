// The page about a search for traces: what was looked for, in which forms, and where.

import { disguisesOf } from '../canaries.ts'
import type { Engine } from '../database/database.ts'

const DATABASES: Readonly<Record<Engine, string>> = {
  embedded: 'the embedded database',
  postgres: 'PostgreSQL',
}

export interface Search {
  readonly database: Engine
  readonly places: Readonly<Record<string, Buffer>>
  readonly canaries: Readonly<Record<string, Buffer>>
  readonly traces: readonly string[]
}

/** Files are told by their folder: a database has hundreds, under numbers. */
const NAMED = ['log', 'metrics', 'database']
const NAMES: Readonly<Record<string, string>> = {
  log: 'the log of the process, at its most detailed level',
  metrics: 'the metrics',
  database: 'every row of every table',
}

export function writePage({ database, places, canaries, traces }: Search): string {
  const forms = [...new Set(Object.values(canaries).flatMap(canary => [...disguisesOf(canary).keys()]))]
  const files = Object.keys(places).filter(place => !NAMED.includes(place))
  const sizeOf = (names: readonly string[]) => names.reduce((sum, name) => sum + places[name]!.length, 0)
  const rows = NAMED.map(name => [NAMES[name], '', sizeOf([name])])
  return [
    `${Object.keys(canaries).length} words, sounds and secrets, in up to ${forms.length} forms each, on ${DATABASES[database]}: ${traces.length} traces found.`,
    '',
    'A service with the bundled models was spoken to on every wire and sent files, people signed in, and everything was also done wrongly. Then the',
    'service was stopped, and all that it had written was searched.',
    '',
    '| where | files | bytes |',
    '|---|--:|--:|',
    ...[...rows, ['files of the service and of its database', files.length, sizeOf(files)]].map(
      row => `| ${row.join(' | ')} |`,
    ),
    '',
    '## What was looked for',
    '',
    ...Object.keys(canaries).map(name => `- ${name}`),
    '',
    '## In which forms',
    '',
    ...forms.map(form => `- ${form}`),
    ...(traces.length === 0 ? [] : ['', '## What was found', '', ...traces.map(trace => `- ${trace}`)]),
    '',
  ].join('\n')
}
