// npm run bench -- start-up [--rounds=3]: how long the service takes until it is ready, and how much memory it then has, beside a plain `ws`
// server with sherpa-onnx and the same models. They take turns.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Contender, startSauti, startSherpa } from '../end-to-end/contender.ts'
import { quantileOf, round } from '../measure/numbers.ts'

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url))

export interface StartUpRow {
  readonly service: string
  readonly readyMs: number
  readonly memoryMb: number
}

export async function run(args: readonly string[]): Promise<readonly StartUpRow[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string', default: '3' } },
  })
  const rounds: StartUpRow[][] = []
  for (let i = 0; i < Number(values.rounds); i++) rounds.push(await startAll())
  console.log('service | ready after ms | memory MB')
  return rounds[0]!.map(({ service }, at) => {
    const median = (of: (row: StartUpRow) => number) =>
      round(
        quantileOf(
          rounds.map(all => of(all[at]!)),
          0.5,
        ),
        0,
      )
    const row = { service, readyMs: median(one => one.readyMs), memoryMb: median(one => one.memoryMb) }
    console.log(Object.values(row).join(' | '))
    return row
  })
}

async function startAll(): Promise<StartUpRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-start-up-'))
  const startOurs = () => startSauti(undefined, folder)
  const rows = [
    await startOnce('sauti, makes its database', startOurs),
    await startOnce('sauti, its database exists', startOurs),
    await startOnce('sherpa-onnx', () => startSherpa(undefined, MODELS)),
  ]
  rmSync(folder, { recursive: true, force: true })
  return rows
}

async function startOnce(service: string, start: () => Promise<Contender>): Promise<StartUpRow> {
  const began = performance.now()
  const contender = await start()
  const readyMs = performance.now() - began
  const memoryMb = contender.memoryMb()
  await contender.stop()
  return { service, readyMs, memoryMb }
}
