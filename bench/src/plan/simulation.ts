// A check of the arithmetic: sessions come at random, last at random, and are placed as the service places them: on the node with the
// most room of a few that are drawn, and when those are full, of all. The database takes one creation after the other, each for as long as was measured.

import { planFor } from './arithmetic.ts'
import { ASSUMED, MEASURED } from './costs.ts'

const SECONDS = 1_800
const BURST_AT = 1_200
const BURST_SECONDS = 60
const SHORTEST = 60
/** As many as take_room() draws. */
const DRAWN = 8
const LONGEST = 2 * ASSUMED.sessionSeconds - SHORTEST

export interface SimulationReport {
  readonly sessions: number
  readonly refused: number
  readonly peakStreams: number
  readonly peakLoad: number
  readonly wait99Ms: number
}

export function simulate(streams: number, random: () => number): SimulationReport {
  const { nodes, nodeCapacity } = planFor(streams)
  const open = new Array<number>(nodes).fill(0)
  const endings: number[][] = Array.from({ length: SECONDS + LONGEST + 2 }, () => [])
  const waits: number[] = []
  let databaseFreeAt = 0
  let refused = 0
  let running = 0
  let peakStreams = 0
  let peakLoad = 0
  let second = 0
  for (let now = nextArrival(0); now < SECONDS; now = nextArrival(now)) {
    for (; second <= now; second++) for (const node of endings[second]!) leave(node)
    databaseFreeAt = Math.max(databaseFreeAt, now) + 1 / MEASURED.creationsPerSecond
    waits.push(databaseFreeAt - now)
    place(now)
  }
  waits.sort((a, b) => a - b)
  const wait99Ms = waits[Math.floor(waits.length * 0.99)]! * 1_000
  return { sessions: waits.length, refused, peakStreams, peakLoad, wait99Ms }

  /** From empty to full within the longest session, then as many as end, and for one minute more. */
  function nextArrival(now: number): number {
    const isBurst = now >= BURST_AT && now < BURST_AT + BURST_SECONDS
    const perSecond = (streams / ASSUMED.sessionSeconds) * (isBurst ? ASSUMED.burst : 1)
    return now - Math.log(1 - random()) / perSecond
  }

  function choose(): number {
    const drawn = Array.from({ length: DRAWN }, () => Math.floor(random() * nodes))
    const best = drawn.reduce((one, other) => (open[other]! < open[one]! ? other : one))
    return open[best]! < nodeCapacity ? best : open.indexOf(Math.min(...open))
  }

  function leave(node: number): void {
    open[node]!--
    running--
  }

  function place(now: number): void {
    const node = choose()
    if (open[node]! >= nodeCapacity) {
      refused++
      return
    }
    open[node]!++
    endings[Math.ceil(now + SHORTEST + random() * (LONGEST - SHORTEST))]!.push(node)
    peakStreams = Math.max(peakStreams, ++running)
    peakLoad = Math.max(peakLoad, open[node]! / nodeCapacity)
  }
}
