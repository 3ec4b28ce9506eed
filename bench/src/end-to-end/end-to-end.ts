// npm run bench -- end-to-end [--streams=20,40,60] [--seconds=20] [--core=0]: the whole service on one core beside a plain `ws` server with
// sherpa-onnx on the same core, one after the other; the speakers are on the other cores. Both languages, real time, utterances of 3 to 8 s.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Contender, startSauti, startSherpa } from './contender.ts'
import { leaveCore, People, quantile } from './people.ts'

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url))
const COLUMNS =
  'streams asked | service | admitted | core | of it engine | flush to final p50, p99 ms | finals | memory MB | strangers'

export async function run(args: readonly string[]): Promise<void> {
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
  for (const asked of values.streams.split(',').map(Number)) {
    const folder = mkdtempSync(join(tmpdir(), 'sauti-end-to-end-'))
    await measure(await startSauti(values.core, folder), asked, Number(values.seconds))
    rmSync(folder, { recursive: true, force: true })
    await measure(await startSherpa(values.core, MODELS), asked, Number(values.seconds))
  }
}

async function measure(contender: Contender, asked: number, seconds: number): Promise<void> {
  const people = new People(contender)
  await people.arrive(asked)
  const { front, engines, strangers, waits } = await people.measure(wait(seconds * 1000))
  const memory = contender.memoryMb()
  await people.leave()
  await contender.stop()
  const cells = [asked, contender.name, people.count, (front + engines).toFixed(2), engines.toFixed(2)]
  const times = `${quantile(waits, 0.5)}, ${quantile(waits, 0.99)}`
  console.log([...cells, times, waits.length, memory.toFixed(), strangers.toFixed(2)].join(' | '))
}
