// npm run bench -- noisy [--streams=30] [--seconds=20] [--core=0]: the effect of a neighbour that takes half of the core. People speak all the
// time and others come twice a second: before the neighbour, while it is there, and after. Those who are refused come back after Retry-After.

import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { quantileOf, round } from '../measure/numbers.ts'
import { startSauti } from './contender.ts'
import { leaveCore, People, quantile } from './people.ts'

const ARRIVAL_MS = 500

export interface NoisyRow {
  readonly neighbour: string
  readonly streams: number
  readonly core: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly finals: number
  readonly came: number
  readonly refused: number
}

export async function run(args: readonly string[]): Promise<readonly NoisyRow[]> {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { ...string, default: '30' },
      seconds: { ...string, default: '20' },
      core: { ...string, default: '0' },
    },
  })
  leaveCore(values.core)
  const folder = mkdtempSync(join(tmpdir(), 'sauti-noisy-'))
  const service = await startSauti(values.core, folder)
  const street = new Street(new People(service), Number(values.seconds) * 1000)
  await street.people.arrive(Number(values.streams))
  console.log(
    'neighbour | streams | core | flush to final p50, p99 ms | finals | came | refused | Retry-After s | came back | refused again',
  )
  const before = await street.watch('before')
  const neighbour = startNeighbour(values.core)
  const there = await street.watch('there')
  neighbour.kill()
  const gone = await street.watch('gone')
  await street.people.leave()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
  return [before, there, gone]
}

/** A program that is always busy, on the same core. */
function startNeighbour(core: string) {
  return fork(fileURLToPath(new URL('./busy.js', import.meta.url)), {
    execPath: 'taskset',
    execArgv: ['-c', core, process.execPath],
  })
}

class Street {
  readonly people: People
  readonly #phaseMs: number
  /** When those who were refused may come back. */
  #returns: number[] = []

  constructor(people: People, phaseMs: number) {
    this.people = people
    this.#phaseMs = phaseMs
  }

  async watch(neighbour: string): Promise<NoisyRow> {
    const came = { first: 0, refused: 0, back: 0, refusedAgain: 0 }
    const told: number[] = []
    const { front, engines, waits } = await this.people.measure(this.#arrivals(came, told))
    const times = `${quantile(waits, 0.5)}, ${quantile(waits, 0.99)}`
    const seconds = told.length === 0 ? '-' : `${Math.min(...told)} to ${Math.max(...told)}`
    const cells = [neighbour, this.people.count, (front + engines).toFixed(2), times, waits.length]
    console.log([...cells, came.first, came.refused, seconds, came.back, came.refusedAgain].join(' | '))
    return {
      neighbour,
      streams: this.people.count,
      core: round(front + engines, 3),
      p50Ms: round(quantileOf(waits, 0.5), 0),
      p99Ms: round(quantileOf(waits, 0.99), 0),
      finals: waits.length,
      came: came.first + came.back,
      refused: came.refused + came.refusedAgain,
    }
  }

  async #arrivals(
    came: { first: number; refused: number; back: number; refusedAgain: number },
    told: number[],
  ): Promise<void> {
    const end = performance.now() + this.#phaseMs
    while (performance.now() < end) {
      const isBack = this.#returns.length > 0 && this.#returns[0]! <= performance.now()
      if (isBack) this.#returns.shift()
      const refusal = await this.people.arriveOne()
      came[isBack ? 'back' : 'first']++
      if (refusal !== undefined) {
        came[isBack ? 'refusedAgain' : 'refused']++
        told.push(refusal.retryAfterSeconds!)
        this.#returns.push(performance.now() + refusal.retryAfterSeconds! * 1000)
        this.#returns.sort((a, b) => a - b)
      }
      await wait(ARRIVAL_MS)
    }
  }
}
