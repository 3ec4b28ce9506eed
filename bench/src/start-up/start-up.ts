// npm run bench -- start-up [--rounds=3] [--sessions=1000]: how long `sauti serve` takes until it is ready, what CPU time that costs, and how much
// memory it then has, beside a plain `ws` server with sherpa-onnx and the same models. They take turns, on all cores. Last, the memory of
// each after many short sessions.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Contender, startSherpa } from '../end-to-end/contender.ts'
import { startSauti } from '../end-to-end/sauti.ts'
import { MODELS } from '../measure/bundled-models.ts'
import { quantileOf, round } from '../measure/numbers.ts'
import { holdSessions } from './sessions.ts'

/** Memory is the proportional set size of all processes of the service. */
interface Start {
  readonly service: string
  readonly readyMs: number
  readonly readyCpuMs: number
  readonly memoryMb: number
}

/** Null where no sessions were held. */
export interface StartUpRow extends Start {
  readonly sessions: number | null
  readonly memoryAfterSessionsMb: number | null
}

export async function run(args: readonly string[]): Promise<readonly StartUpRow[]> {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { ...string, default: '3' }, sessions: { ...string, default: '1000' } },
  })
  const folder = mkdtempSync(join(tmpdir(), 'sauti-start-up-'))
  try {
    const rounds: Start[][] = []
    for (let i = 0; i < Number(values.rounds); i++) rounds.push(await startAll(folder))
    return showRows(rounds, await serveBoth(folder, Number(values.sessions)), Number(values.sessions))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The database of the last round stays for the sessions. */
async function startAll(folder: string): Promise<Start[]> {
  rmSync(folder, { recursive: true, force: true })
  const startOurs = () => startSauti(undefined, folder)
  return [
    await startOnce('sauti, makes its database', startOurs),
    await startOnce('sauti, its database exists', startOurs),
    await startOnce('sherpa-onnx', () => startSherpa(undefined, MODELS)),
  ]
}

async function startOnce(service: string, start: () => Promise<Contender>): Promise<Start> {
  const contender = await start()
  const { readyMs, readyCpuMs } = contender
  const memoryMb = contender.memoryMb()
  await contender.stop()
  return { service, readyMs, readyCpuMs, memoryMb }
}

/** Megabytes after the sessions, ours with a database that exists. */
async function serveBoth(folder: string, sessions: number): Promise<Readonly<Record<string, number>>> {
  return {
    'sauti, its database exists': await serveSessions(await startSauti(undefined, folder), sessions),
    'sherpa-onnx': await serveSessions(await startSherpa(undefined, MODELS), sessions),
  }
}

async function serveSessions(contender: Contender, sessions: number): Promise<number> {
  await holdSessions(contender, sessions)
  const memoryMb = contender.memoryMb()
  await contender.stop()
  return memoryMb
}

function showRows(
  rounds: readonly Start[][],
  afterSessions: Readonly<Record<string, number>>,
  sessions: number,
): StartUpRow[] {
  console.log('service | ready after ms | CPU-ms until then | memory MB | sessions | memory MB after them')
  return rounds[0]!.map(({ service }, at) => {
    const medianOf = (figure: 'readyMs' | 'readyCpuMs' | 'memoryMb') => {
      const values = rounds.map(all => all[at]![figure])
      return round(quantileOf(values, 0.5), 0)
    }
    const after = afterSessions[service]
    const row = {
      service,
      readyMs: medianOf('readyMs'),
      readyCpuMs: medianOf('readyCpuMs'),
      memoryMb: medianOf('memoryMb'),
      sessions: after === undefined ? null : sessions,
      memoryAfterSessionsMb: after === undefined ? null : round(after, 0),
    }
    console.log(Object.values(row).join(' | '))
    return row
  })
}
