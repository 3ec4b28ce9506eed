// npm run bench -- floods [--seconds=12] [--neighbours=3] [--only=TEXT]: one account floods its stream, others speak. How long their finals
// take with and without it, and how much memory the service takes. Quiet and flooded windows take turns.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Sauti, startSauti } from '../end-to-end/sauti.ts'
import type { Address } from '../measure/dial.ts'
import { usedBy } from '../measure/processes.ts'
import { ATTACKS } from './attacks.ts'
import { Neighbour } from './neighbour.ts'
import { createSession } from './session.ts'

const SETTLE_MS = 1_500
const MODEL = 'svc-asr-kikuyu-v1'

export async function run(args: readonly string[]): Promise<void> {
  const { seconds, neighbours, only } = readOptions(args)
  const folder = mkdtempSync(join(tmpdir(), 'sauti-floods-'))
  const subject = await startSauti(undefined, folder)
  console.log('attack | quiet p50, p99 ms | flooded p50, p99 ms | finals | memory MB before, after')
  try {
    for (const name of Object.keys(ATTACKS).filter(one => one.includes(only))) {
      await measure(subject, name, seconds, neighbours)
    }
  } finally {
    await subject.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function readOptions(args: readonly string[]) {
  const string = { type: 'string' } as const
  const options = {
    seconds: { ...string, default: '12' },
    neighbours: { ...string, default: '3' },
    only: { ...string, default: '' },
  }
  const { values } = parseArgs({ args: [...args], options })
  return { seconds: Number(values.seconds), neighbours: Number(values.neighbours), only: values.only }
}

async function measure({ service, pid }: Sauti, name: string, seconds: number, count: number): Promise<void> {
  const neighbours = await Promise.all(
    Array.from({ length: count }, async () => new Neighbour(await createSession(service, MODEL))),
  )
  const speaking = neighbours.map(one => one.speak())
  const take = () => neighbours.flatMap(one => one.take()).sort((a, b) => a - b)
  await wait(SETTLE_MS)
  take()
  await wait(seconds * 1000)
  const quiet = take()
  const before = usedBy(pid).frontMb
  const attacker = await startAttack(name, await createSession(service, MODEL))
  await wait(SETTLE_MS)
  take()
  await wait(seconds * 1000)
  const flooded = take()
  const after = usedBy(pid).frontMb
  attacker.kill()
  for (const neighbour of neighbours) neighbour.stop()
  await Promise.all(speaking)
  const sizes = `${quiet.length}, ${flooded.length}`
  console.log(
    `${name} | ${describe(quiet)} | ${describe(flooded)} | ${sizes} | ${before.toFixed()}, ${after.toFixed()}`,
  )
}

async function startAttack(name: string, ticket: Address) {
  const attacker = fork(fileURLToPath(new URL('./attacker.js', import.meta.url)), [name])
  const flooding = once(attacker, 'message')
  attacker.send(ticket)
  await flooding
  return attacker
}

function describe(sorted: readonly number[]): string {
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]?.toFixed() ?? '-'
  return `${at(0.5)}, ${at(0.99)}`
}
