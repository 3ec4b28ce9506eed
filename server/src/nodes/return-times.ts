// When those who are refused because the service is full may come back: one after the other, at the pace at which sessions end here. If all were
// told when the next slot is free, all but one of a crowd would be refused again, and again. Where slots are held back until newcomers were
// heard, as many come back sooner: half of them after one step, half of the rest after the next. What more there is room for is not known before
// those were heard, so the others come back behind them, as many in each step, rather than when somebody who speaks now has ended. Accounts take
// turns: one that asks again and again, or for many at once, moves the others back by one place for each that they asked for themselves.

import type { RefusedOrder } from '../ledger/session-order.ts'

/** Where it is not known when a slot is free. */
const UNKNOWN_MS = 30_000
/** A machine that has become faster admits more before anybody leaves. */
const MOST_MS = 60_000
const MINUTE_MS = 60_000
/** Until newcomers have connected and were heard: two chunks, and the measuring of them. */
const STEP_MS = 3000
/** Where nobody has left, all are told the same time, and a crowd would make the list as long as itself. */
const MOST_PROMISED = 1_000

interface Promised {
  readonly accountId: string
  readonly atMs: number
}

export class ReturnTimes {
  readonly #endedLastMinute: () => number
  /** Of those who were told and have not come back yet. */
  #promised: Promised[] = []

  constructor(endedLastMinute: () => number) {
    this.#endedLastMinute = endedLastMinute
  }

  promise({ accountId, slotFreeAt, heldBack, now }: RefusedOrder): Date {
    const nowMs = now.getTime()
    this.#promised = this.#promised.filter(({ atMs }) => atMs > nowMs)
    const before = this.#placesBefore(accountId)
    const nextMs = slotFreeAt?.getTime() ?? nowMs + UNKNOWN_MS
    const freeMs = nextMs + (before - heldBack) * this.#paceMs()
    const lentMs = heldBack > 0 ? nowMs + stepsUntil(before, heldBack) * STEP_MS : Number.POSITIVE_INFINITY
    const returnMs = before < heldBack ? lentMs : Math.min(lentMs, freeMs)
    if (returnMs >= nowMs + MOST_MS) return new Date(nowMs + MOST_MS)
    if (this.#promised.length < MOST_PROMISED) this.#promised.push({ accountId, atMs: returnMs })
    return new Date(returnMs)
  }

  /** Its own, and of every other account as many as it then has. */
  #placesBefore(accountId: string): number {
    const places = new Map<string, number>()
    for (const promised of this.#promised)
      places.set(promised.accountId, (places.get(promised.accountId) ?? 0) + 1)
    const own = places.get(accountId) ?? 0
    places.delete(accountId)
    return [...places.values()].reduce((sum, others) => sum + Math.min(others, own + 1), own)
  }

  /** 0 where nobody has left: then nothing tells how long those who come first will stay. */
  #paceMs(): number {
    const ended = this.#endedLastMinute()
    return ended > 0 ? MINUTE_MS / ended : 0
  }
}

/** In how many steps, each of which lends at least half of what is left, more than `before` of the slots are lent; behind the last of them, as many in each. */
function stepsUntil(before: number, heldBack: number): number {
  if (before < heldBack) return 1 + Math.floor(Math.log2(heldBack / (heldBack - before)))
  return stepsUntil(heldBack - 1, heldBack) + Math.floor(before / heldBack)
}
