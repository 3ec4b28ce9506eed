// How much each fuzz target tries, and from which seed: a fixed number in the check, always the same, and as much as the time allows with
// `npm run fuzz`.

import fc from 'fast-check'

/** None in the check. */
const FUZZ_SECONDS = process.env.SAUTI_FUZZ_SECONDS ? Number(process.env.SAUTI_FUZZ_SECONDS) : undefined
export const FUZZ_SEED = Number(process.env.SAUTI_FUZZ_SEED ?? 1)

/** Room for the run itself, the start of a service, and the search for a smaller counterexample. */
export const FUZZ_TIMEOUT_MS = (FUZZ_SECONDS ?? 0) * 1000 + 240_000

/** Runs a property. A failure names the seed and the path that repeat it. */
export async function fuzz<Values>(
  property: fc.IAsyncProperty<Values> | fc.IProperty<Values>,
  runsInCheck = 300,
): Promise<number> {
  const limit =
    FUZZ_SECONDS === undefined
      ? { numRuns: runsInCheck }
      : { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: FUZZ_SECONDS * 1000 }
  const details = await fc.check(property, {
    seed: FUZZ_SEED,
    maxSkipsPerRun: Number.MAX_SAFE_INTEGER,
    ...limit,
  })
  if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
  return details.numRuns
}

/** Seeds for a target that makes its own input. */
export function* fuzzSeeds(countInCheck: number): Generator<number, void> {
  const start = Date.now()
  const isOver = (seed: number) =>
    FUZZ_SECONDS === undefined ? seed >= FUZZ_SEED + countInCheck : Date.now() - start >= FUZZ_SECONDS * 1000
  for (let seed = FUZZ_SEED; !isOver(seed); seed++) yield seed
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
