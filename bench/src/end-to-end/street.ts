// The street in front of the service: people come, speak for a while and leave. Those who are refused come back once, when they were told to.

import { setTimeout as wait } from 'node:timers/promises'
import { mean } from '../measure/numbers.ts'
import type { People } from './people.ts'

/** What each says before leaving: about 22 seconds. */
export const UTTERANCES = 4
const ARRIVAL_MS = 500

export interface Passed {
  /** Mean of those who spoke at the same time. */
  streams: number
  /** For the first time. */
  came: number
  refused: number
  /** Seconds of Retry-After. */
  told: number[]
  cameBack: number
  refusedAgain: number
}

export class Street {
  readonly people: People
  /** When those who were refused may come back, the first first. */
  #returns: number[] = []

  constructor(people: People) {
    this.people = people
  }

  async pass(lengthMs: number): Promise<Passed> {
    const passed: Passed = { streams: 0, came: 0, refused: 0, told: [], cameBack: 0, refusedAgain: 0 }
    const counts: number[] = []
    const began = performance.now()
    for (let turn = 0; performance.now() < began + lengthMs; turn++) {
      await this.#arrive(passed)
      await this.#comeBack(passed)
      counts.push(this.people.count)
      await wait(Math.max(0, began + (turn + 1) * ARRIVAL_MS - performance.now()))
    }
    passed.streams = mean(counts)
    return passed
  }

  async #arrive(passed: Passed): Promise<void> {
    passed.came++
    const refusal = await this.people.arriveOne(UTTERANCES)
    if (refusal === undefined) return
    const seconds = refusal.retryAfterSeconds
    if (seconds === undefined) throw new Error('a refusal without Retry-After')
    passed.refused++
    passed.told.push(seconds)
    this.#returns.push(performance.now() + seconds * 1000)
    this.#returns.sort((a, b) => a - b)
  }

  async #comeBack(passed: Passed): Promise<void> {
    while (this.#returns.length > 0 && this.#returns[0]! <= performance.now()) {
      this.#returns.shift()
      passed.cameBack++
      if ((await this.people.arriveOne(UTTERANCES)) !== undefined) passed.refusedAgain++
    }
  }
}
