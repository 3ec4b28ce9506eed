// What happens in a lot of histories, from a seed: the operations of every client, and the faults that strike them. Pure: the same seed
// gives the same plan.

import { Dice } from '../support/fuzzing.ts'
import {
  FAULTS,
  type Fault,
  type Kind,
  needsNodes,
  needsPostgres,
  OF_CLIENTS,
  STRIKES,
  SUITES,
  type Suite,
  USUAL_STRIKES,
} from './kinds.ts'

export type DatabaseKind = 'embedded' | 'postgres'

export type Operation =
  | { readonly type: 'create'; readonly seconds: number; readonly hasKey: boolean }
  | { readonly type: 'replay' | 'open' | 'flush' | 'reset' | 'close' | 'vanish' | 'cancel' }
  | { readonly type: 'audio' | 'file' | 'metered'; readonly samples: number }
  | { readonly type: 'grant'; readonly ms: number }
  | { readonly type: 'revoke' | 'usage' }
  /** Clients that ask for more than they may have: many creations at once, one key many times at once, one credential twice, too large a frame. */
  | { readonly type: 'create many' | 'replay at once' | 'open twice' | 'oversized frame' }

/** A fault begins this long after this history began this operation. Faults of the service hit all histories of the lot. */
export interface Strike {
  readonly fault: Fault
  readonly history: number
  readonly operation: number
  readonly afterMs: number
  readonly lastsMs: number
  /** For faults that leave room for some bytes. */
  readonly bytes: number
}

export interface Lot {
  readonly seed: number
  readonly kind: Kind
  readonly database: DatabaseKind
  /** How many nodes serve it. */
  readonly nodes: number
  readonly creditMs: readonly number[]
  readonly histories: readonly (readonly Operation[])[]
  readonly strikes: readonly Strike[]
}

export interface LotOptions {
  readonly histories: number
  readonly kind?: Kind | undefined
  /** Its kinds come in turn where no kind is named. */
  readonly suite?: Suite | undefined
  readonly database?: DatabaseKind | undefined
}

/** Most are short, because most operations take a few milliseconds. */
const DELAYS_MS = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377]
const LASTING_MS = [50, 200, 500, 1000, 2000]
const NODES = 3
const CREDITS_MS = [7_400, 65_000, 200_000, 3_600_000]

export function planLot(seed: number, options: LotOptions): Lot {
  const { histories: count, kind, suite = 'service', database } = options
  const dice = new Dice(Math.imul(seed + 1, 0x9e3779b1))
  const kinds = SUITES[suite]
  const chosen = kind ?? kinds[seed % kinds.length]!
  const histories = Array.from({ length: count }, () => planHistory(dice, chosen))
  return {
    seed,
    kind: chosen,
    database: needsPostgres(chosen) ? 'postgres' : (database ?? chooseDatabase(seed, kinds.length)),
    nodes: needsNodes(chosen) ? NODES : 1,
    creditMs: histories.map(() => dice.pick(CREDITS_MS)),
    histories,
    strikes: planStrikes(dice, chosen, histories),
  }
}

/** So that kinds which run on either database meet both in turn. */
function chooseDatabase(seed: number, kinds: number): DatabaseKind {
  return Math.floor(seed / kinds) % 2 === 0 ? 'embedded' : 'postgres'
}

function planStrikes(dice: Dice, kind: Kind, histories: Lot['histories']): Strike[] {
  const strike = (history: number): Strike => ({
    fault: dice.pick(FAULTS[kind]),
    history,
    operation: dice.roll(histories[history]!.length),
    afterMs: dice.pick(DELAYS_MS),
    lastsMs: dice.pick(LASTING_MS),
    bytes: dice.roll(1_000),
  })
  if (OF_CLIENTS.includes(kind)) return histories.map((_, history) => strike(history))
  const count = STRIKES[kind] ?? USUAL_STRIKES
  return Array.from({ length: count }, () => strike(dice.roll(histories.length)))
}

/** A history is some phrases one after the other: each is what a client does for one purpose. */
type Phrase = (dice: Dice) => Operation[]

const PHRASES: readonly (readonly [weight: number, phrase: Phrase])[] = [
  [8, speak],
  [3, dice => [create(dice), { type: 'cancel' }]],
  [2, dice => [{ type: 'create', seconds: 5, hasKey: true }, { type: 'replay' }, ...speakOn(dice)]],
  [3, dice => [{ type: 'file', samples: 8_000 + dice.roll(56_000) }]],
  [1, dice => [{ type: 'metered', samples: 33 * 16_000 + dice.roll(64_000) }]],
  [2, dice => [{ type: 'grant', ms: 1 + dice.roll(9_999) }]],
  [3, () => [{ type: 'usage' }]],
  [1, () => [{ type: 'revoke' }]],
]
const GREEDY_PHRASES: readonly Phrase[] = [
  () => [{ type: 'create many' }],
  () => [{ type: 'replay at once' }, { type: 'cancel' }],
  dice => [create(dice), { type: 'open twice' }, ...speakOn(dice).slice(1)],
  dice => [create(dice), { type: 'open' }, { type: 'audio', samples: 9_000 }, { type: 'oversized frame' }],
]

function planHistory(dice: Dice, kind: Kind): Operation[] {
  const phrases = Array.from({ length: 2 + dice.roll(3) }, () => {
    const isGreedy = dice.roll(10) < (kind === 'greedy-clients' ? 6 : 1)
    return isGreedy ? dice.pick(GREEDY_PHRASES) : pickPhrase(dice)
  })
  return [...phrases.flatMap(phrase => phrase(dice)), { type: 'usage' }]
}

function pickPhrase(dice: Dice): Phrase {
  let rest = dice.roll(PHRASES.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, phrase] of PHRASES) {
    rest -= weight
    if (rest < 0) return phrase
  }
  throw new Error('the weights do not add up')
}

function create(dice: Dice): Operation {
  return { type: 'create', seconds: dice.pick([1, 3, 5, 60]), hasKey: dice.roll(3) > 0 }
}

function speak(dice: Dice): Operation[] {
  return [create(dice), ...speakOn(dice)]
}

function speakOn(dice: Dice): Operation[] {
  const turns = Array.from({ length: 1 + dice.roll(3) }, (): Operation[] => [
    { type: 'audio', samples: 1_600 + dice.roll(30_000) },
    { type: dice.pick(['flush', 'flush', 'reset', 'usage']) },
  ])
  const end = dice.pick(['close', 'close', 'close', 'vanish'] as const)
  return [{ type: 'open' }, ...turns.flat(), { type: end }]
}
