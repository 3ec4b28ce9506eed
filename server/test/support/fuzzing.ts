// How long each fuzz target runs, and from which seed: briefly and always the same in the check, longer with `npm run fuzz`.

import fc from 'fast-check'

export const FUZZ_SECONDS = Number(process.env.SAUTI_FUZZ_SECONDS ?? 6)
export const FUZZ_SEED = Number(process.env.SAUTI_FUZZ_SEED ?? 1)

/** Room for the run itself, the start of a service, and the search for a smaller counterexample. */
export const FUZZ_TIMEOUT_MS = FUZZ_SECONDS * 1000 + 240_000

/** Runs a property until the time is over. A failure names the seed and the path that repeat it. */
export async function fuzz<Values>(
  property: fc.IAsyncProperty<Values> | fc.IProperty<Values>,
): Promise<number> {
  const details = await fc.check(property, {
    seed: FUZZ_SEED,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: FUZZ_SECONDS * 1000,
    maxSkipsPerRun: Number.MAX_SAFE_INTEGER,
  })
  if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
  return details.numRuns
}

/** Numbers from a seed, quick enough for millions of frames. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0 || 1
  }

  /** From 0 to `sides` - 1. */
  roll(sides: number): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) % sides
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.roll(items.length)]!
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    for (let at = 0; at < length; at++) bytes[at] = this.roll(256)
    return bytes
  }
}
