// npm run bench -- record NAME [options]: runs one bench, with its own options, and keeps what it found in bench/results,
// with the architecture that it ran on.

import * as endToEnd from '../end-to-end/end-to-end.ts'
import * as noisy from '../end-to-end/noisy.ts'
import * as engine from '../engine/engine.ts'
import * as growth from '../growth/growth.ts'
import * as http from '../http/http.ts'
import * as load from '../load/load.ts'
import { record } from '../results/record.ts'
import { RESULT_NAMES, type ResultFigures, type ResultName } from '../results/shapes.ts'
import * as startUp from '../start-up/start-up.ts'
import * as stream from '../stream/stream.ts'

type Benches = { readonly [Name in ResultName]: (args: readonly string[]) => Promise<ResultFigures[Name]> }

const BENCHES: Benches = {
  'end-to-end': endToEnd.run,
  engine: engine.run,
  stream: stream.run,
  http: http.run,
  'start-up': startUp.run,
  growth: growth.run,
  noisy: noisy.run,
  load: load.run,
  soak: load.run,
}

export async function run([name, ...args]: readonly string[]): Promise<void> {
  const known = RESULT_NAMES.find(one => one === name)
  if (known === undefined) throw new Error(`record knows ${RESULT_NAMES.join(', ')}`)
  await recordOne(known, args)
}

function recordOne<Name extends ResultName>(name: Name, args: readonly string[]): Promise<void> {
  const command = ['npm run bench -- record', name, ...args].join(' ')
  return record(name, command, () => BENCHES[name](args))
}
