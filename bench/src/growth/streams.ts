// How the cost of the whole service grows with its streams: more and more people, on one core.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { People } from '../end-to-end/people.ts'
import { startSauti } from '../end-to-end/sauti.ts'
import { round } from '../measure/numbers.ts'

export interface StreamsRow {
  readonly streams: number
  readonly core: number
  readonly engineCore: number
  readonly memoryMb: number
}

export async function growStreams(
  counts: readonly number[],
  seconds: number,
  core: string,
): Promise<StreamsRow[]> {
  if (counts.length === 0) return []
  const folder = mkdtempSync(join(tmpdir(), 'sauti-growth-'))
  const service = await startSauti(core, folder)
  const people = new People(service)
  const rows: StreamsRow[] = []
  console.log('streams | core | of it engine | memory MB')
  for (const count of counts) {
    await people.arrive(count - people.count)
    const { front, engines } = await people.measure(wait(seconds * 1000))
    const row = {
      streams: people.count,
      core: round(front + engines, 3),
      engineCore: round(engines, 3),
      memoryMb: round(service.memoryMb(), 0),
    }
    rows.push(row)
    console.log(Object.values(row).join(' | '))
  }
  await people.leave()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
  return rows
}
