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
/** Those who were refused come back when they were told to, for so long: the longest time that the service names. */
const RETURN_MS = 60_000
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
  /** Conversations that the service ended. */
  readonly lost: number
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
  readonly #present = new Map<Speaker, Promise<void>>()
  #asked = 0
  #lost = 0
  #waits: number[] = []

  constructor(contender: Contender) {
    this.#contender = contender
  }

  /** Those who speak at the moment. */
  get count(): number {
    return this.#present.size
  }

  /** As many as the service admits, both languages in turn. Returns how many it admitted when they came first. */
  async arrive(asked: number): Promise<number> {
    const returns: number[] = []
    for (let i = 0; i < asked; i++) {
      await this.#arriveOrReturn(returns)
      await wait(ARRIVAL_MS)
    }
    const atOnce = this.count
    await this.#comeBack(returns)
    await wait(SETTLE_MS)
    return atOnce
  }

  async #arriveOrReturn(returns: number[]): Promise<void> {
    const refusal = await this.arriveOne()
    if (refusal !== undefined) returns.push(performance.now() + (refusal.retryAfterSeconds ?? 1) * 1000)
  }

  async #comeBack(returns: number[]): Promise<void> {
    const endMs = performance.now() + RETURN_MS
    for (;;) {
      returns.sort((a, b) => a - b)
      const nextMs = returns.shift()
      if (nextMs === undefined || nextMs > endMs) return
      await wait(Math.max(0, nextMs - performance.now()))
      await this.#arriveOrReturn(returns)
    }
  }

  /** Starts speaking, for as long as the others or for some utterances, or says why not. */
  async arriveOne(utterances = Number.POSITIVE_INFINITY): Promise<Refusal | undefined> {
    const seed = ++this.#asked
    try {
      const address = await this.#contender.address(MODEL_IDS[seed % MODEL_IDS.length]!)
      const speaker = new Speaker(address, { seed, utterances, onWait: waitMs => this.#waits.push(waitMs) })
      this.#present.set(speaker, this.#follow(speaker))
      return undefined
    } catch (error) {
      if (error instanceof Refusal && error.code === 'capacity_exceeded') return error
      throw error
    }
  }

  /** What they cost and how long they wait while `meanwhile` runs. */
  async measure(meanwhile: Promise<unknown>): Promise<Figures> {
    this.#waits = []
    const lostBefore = this.#lost
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
    // A copy: when all leave, they flush at the same moment, and those waits are nobody's.
    const waits = this.#waits.toSorted((a, b) => a - b)
    return { front, engines, strangers: others - front - engines, waits, lost: this.#lost - lostBefore }
  }

  async leave(): Promise<void> {
    for (const speaker of this.#present.keys()) speaker.stop()
    await Promise.all(this.#present.values())
  }

  async #follow(speaker: Speaker): Promise<void> {
    if (!(await speaker.speak())) this.#lost++
    this.#present.delete(speaker)
  }
}
