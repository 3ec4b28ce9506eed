// npm run bench -- noisy [--seconds=60] [--core=0]: the effect of a neighbour that takes half of the core. People come twice per second, say four
// utterances and leave: more than one core holds. So the service is always as full as it lets itself be: before the neighbour, while it
// comes, while it is there, and after. Those who are refused come back once, after Retry-After.

import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { quantileOf, round } from '../measure/numbers.ts'
import { leaveCore, People } from './people.ts'
import { startSauti } from './sauti.ts'
import { Street, UTTERANCES } from './street.ts'

/** Until those who came before the neighbour have left. */
const CHANGE_MS = UTTERANCES * 8000

export interface NoisyRow {
  readonly neighbour: string
  readonly seconds: number
  /** Mean of those who spoke at the same time. */
  readonly streams: number
  readonly core: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly finals: number
  readonly lost: number
  /** For the first time. */
  readonly came: number
  readonly refused: number
  /** What those who were refused were told: the shortest and the longest. Null where nobody was, or it was not recorded. */
  readonly retryAfterSeconds: readonly [number, number] | null
  /** After that time, and how many of them were refused again. */
  readonly cameBack: number | null
  readonly refusedAgain: number | null
}

export async function run(args: readonly string[]): Promise<readonly NoisyRow[]> {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: { seconds: { ...string, default: '60' }, core: { ...string, default: '0' } },
  })
  const { core } = values
  const phaseMs = Number(values.seconds) * 1000
  leaveCore(core)
  const folder = mkdtempSync(join(tmpdir(), 'sauti-noisy-'))
  const service = await startSauti(core, folder)
  const street = new Street(new People(service))
  try {
    await street.pass(CHANGE_MS)
    console.log(
      'neighbour | seconds | streams | core | flush to final p50, p99 ms | finals | lost | came | refused | Retry-After s | came back | refused again',
    )
    const before = await watch(street, 'before', phaseMs)
    const neighbour = startNeighbour(core)
    const comes = await watch(street, 'comes', CHANGE_MS)
    const there = await watch(street, 'is there', phaseMs)
    neighbour.kill()
    const leaves = await watch(street, 'leaves', CHANGE_MS)
    const gone = await watch(street, 'is gone', phaseMs)
    return [before, comes, there, leaves, gone]
  } finally {
    await street.people.leave()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A program that is always busy, on the same core. It ends with this one. */
function startNeighbour(core: string) {
  const neighbour = fork(fileURLToPath(new URL('./busy.js', import.meta.url)), {
    execPath: 'taskset',
    execArgv: ['-c', core, process.execPath],
  })
  process.once('exit', () => neighbour.kill('SIGKILL'))
  return neighbour
}

async function watch(street: Street, neighbour: string, phaseMs: number): Promise<NoisyRow> {
  const passing = street.pass(phaseMs)
  const { front, engines, waits, lost } = await street.people.measure(passing)
  const { streams, came, refused, told, cameBack, refusedAgain } = await passing
  const row: NoisyRow = {
    neighbour,
    seconds: round(phaseMs / 1000, 0),
    streams: round(streams, 1),
    core: round(front + engines, 3),
    p50Ms: round(quantileOf(waits, 0.5), 0),
    p99Ms: round(quantileOf(waits, 0.99), 0),
    finals: waits.length,
    lost,
    came,
    refused,
    retryAfterSeconds: told.length === 0 ? null : [Math.min(...told), Math.max(...told)],
    cameBack,
    refusedAgain,
  }
  console.log(
    [
      neighbour,
      row.seconds,
      row.streams,
      row.core,
      `${row.p50Ms}, ${row.p99Ms}`,
      row.finals,
      lost,
      came,
      refused,
      row.retryAfterSeconds?.join(' to ') ?? '-',
      cameBack,
      refusedAgain,
    ].join(' | '),
  )
  return row
}
