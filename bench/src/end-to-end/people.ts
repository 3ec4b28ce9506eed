// People in front of a service: they come one after the other. While they speak, their cost and their waiting times are measured.

import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { MODEL_IDS } from '@sauti/protocol/models'
import { Refusal } from '../floods/session.ts'
import { machineCpuMs, ownCpuMs } from '../measure/processes.ts'
import type { Contender } from './contender.ts'
import { Speaker } from './speaker.ts'

/** Sessions are asked for one after the other, as people come. */
const ARRIVAL_MS = 50
/** Until all speak; they begin at different moments. */
const SETTLE_MS = 10_000

export interface Figures {
  /** Parts of a core. */
  readonly front: number
  readonly engines: number
  /** What other programs used of the machine. */
  readonly strangers: number
  /** From flush to final, in ms, sorted. */
  readonly waits: readonly number[]
}

/** This process leaves the core to the service. */
export function leaveCore(core: string): void {
  const others = cpus()
    .map((_, i) => i)
    .filter(i => i !== Number(core))
  execFileSync('taskset', ['-cp', others.join(','), String(process.pid)], { stdio: 'ignore' })
}

export class People {
  readonly #contender: Contender
  readonly #speakers: Speaker[] = []
  readonly #speaking: Promise<void>[] = []
  #asked = 0

  constructor(contender: Contender) {
    this.#contender = contender
  }

  get count(): number {
    return this.#speakers.length
  }

  /** As many as the service admits, both languages in turn. */
  async arrive(asked: number): Promise<void> {
    for (let i = 0; i < asked; i++) {
      await this.arriveOne()
      await wait(ARRIVAL_MS)
    }
    await wait(SETTLE_MS)
  }

  /** Starts speaking, or says why not. */
  async arriveOne(): Promise<Refusal | undefined> {
    const seed = ++this.#asked
    try {
      const speaker = new Speaker(await this.#contender.address(MODEL_IDS[seed % MODEL_IDS.length]!), seed)
      this.#speakers.push(speaker)
      this.#speaking.push(speaker.speak())
      return undefined
    } catch (error) {
      if (error instanceof Refusal && error.code === 'capacity_exceeded') return error
      throw error
    }
  }

  /** What they cost and how long they wait while `meanwhile` runs. */
  async measure(meanwhile: Promise<unknown>): Promise<Figures> {
    this.#takeWaits()
    const before = {
      own: this.#contender.cpuMs(),
      all: machineCpuMs(),
      bench: ownCpuMs(),
      at: performance.now(),
    }
    await meanwhile
    const elapsedMs = performance.now() - before.at
    const own = this.#contender.cpuMs()
    const front = (own.front - before.own.front) / elapsedMs
    const engines = (own.engines - before.own.engines) / elapsedMs
    const others = (machineCpuMs() - before.all - (ownCpuMs() - before.bench)) / elapsedMs
    return { front, engines, strangers: others - front - engines, waits: this.#takeWaits() }
  }

  async leave(): Promise<void> {
    for (const speaker of this.#speakers) speaker.stop()
    await Promise.all(this.#speaking)
  }

  #takeWaits(): number[] {
    return this.#speakers.flatMap(speaker => speaker.takeWaits()).sort((a, b) => a - b)
  }
}

/** Of sorted values; a dash where there are none. */
export function quantile(sorted: readonly number[], part: number): string {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]?.toFixed() ?? '-'
}
