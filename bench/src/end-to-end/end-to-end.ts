// npm run bench -- end-to-end [--streams=20,40,60] [--seconds=20] [--core=0]: the whole service on one core beside a plain `ws` server with
// sherpa-onnx on the same core, one after the other; the speakers are on the other cores. Both languages, real time, utterances of 3 to 8 s.
// Those who are refused come back when they were told to, for a minute.
// Last what the same utterances cost the engine alone.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { MODELS } from '../measure/bundled-models.ts'
import { quantileOf, round } from '../measure/numbers.ts'
import { type Contender, measureBareEngine, startSherpa } from './contender.ts'
import { leaveCore, People } from './people.ts'
import { startSauti } from './sauti.ts'
import { BARE_ENGINE } from './service-names.ts'

const BARE_UTTERANCES = 60
const COLUMNS =
  'streams asked | service | admitted at once, in all | core | of it engine | flush to final p50, p99 ms | finals | memory MB | strangers'

export interface EndToEndRow {
  readonly asked: number
  readonly service: string
  readonly admitted: number
  /** Cores, of all processes of the service. */
  readonly core: number
  readonly engineCore: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly finals: number
  readonly memoryMb: number | null
  /** Cores that other programs took. */
  readonly others: number | null
}

export async function run(args: readonly string[]): Promise<readonly EndToEndRow[]> {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { ...string, default: '20,40,60' },
      seconds: { ...string, default: '20' },
      core: { ...string, default: '0' },
    },
  })
  leaveCore(values.core)
  console.log(COLUMNS)
  const rows: EndToEndRow[] = []
  for (const asked of values.streams.split(',').map(Number)) {
    const folder = mkdtempSync(join(tmpdir(), 'sauti-end-to-end-'))
    rows.push(await measure(await startSauti(values.core, folder), asked, Number(values.seconds)))
    rmSync(folder, { recursive: true, force: true })
    rows.push(await measure(await startSherpa(values.core, MODELS), asked, Number(values.seconds)))
  }
  rows.push(await measureBare(values.core))
  return rows
}

/** As many streams as would fill the core if there were nothing but the engine: nobody waits for anybody, and nobody is late. */
async function measureBare(core: string): Promise<EndToEndRow> {
  const { utterances, cpuMsPerSecond } = await measureBareEngine(core, MODELS, BARE_UTTERANCES)
  const streams = Math.floor(1000 / cpuMsPerSecond)
  const row = {
    asked: streams,
    service: BARE_ENGINE,
    admitted: streams,
    core: round((streams * cpuMsPerSecond) / 1000, 3),
    engineCore: round((streams * cpuMsPerSecond) / 1000, 3),
    p50Ms: null,
    p99Ms: null,
    finals: utterances,
    memoryMb: null,
    others: null,
  }
  console.log(`${streams} | ${BARE_ENGINE} | at ${cpuMsPerSecond.toFixed(1)} CPU-ms per second of speech`)
  return row
}

async function measure(contender: Contender, asked: number, seconds: number): Promise<EndToEndRow> {
  const people = new People(contender)
  const atOnce = await people.arrive(asked)
  const { front, engines, strangers, waits } = await people.measure(wait(seconds * 1000))
  const memory = contender.memoryMb()
  const admitted = people.count
  await people.leave()
  await contender.stop()
  const row = {
    asked,
    service: contender.name,
    admitted,
    core: round(front + engines, 3),
    engineCore: round(engines, 3),
    p50Ms: waits.length === 0 ? null : round(quantileOf(waits, 0.5), 0),
    p99Ms: waits.length === 0 ? null : round(quantileOf(waits, 0.99), 0),
    finals: waits.length,
    memoryMb: round(memory, 0),
    others: round(strangers, 2),
  } satisfies EndToEndRow
  const times = `${row.p50Ms ?? '-'}, ${row.p99Ms ?? '-'}`
  const admissions = `${atOnce}, ${row.admitted}`
  const cells = [asked, row.service, admissions, row.core.toFixed(2), row.engineCore.toFixed(2), times]
  console.log([...cells, row.finals, row.memoryMb, row.others.toFixed(2)].join(' | '))
  return row
}
