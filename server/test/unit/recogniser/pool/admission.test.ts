import { describe, expect, it } from 'vitest'
import { Admission } from '#server/recogniser/pool/admission.js'
import { streamShare } from '#server/recogniser/pool/capacity.js'
import { PATIENCE_MS } from '#server/recogniser/pool/schedule.js'
import { type Course, simulate } from '../../../support/recogniser/admission-simulation.ts'

const LIMITS = { maxLoad: 0.8, overhead: 1, serviceCpuMs: () => 0 }
const SHARE = 0.01
const MINUTE = 60_000

/** So many streams that were all heard. */
function demandOf(streams: number) {
  return { all: streams * SHARE, heard: streams * SHARE }
}

/** How many streams it would have in all. */
function limit(admission: Admission, streams: number): number {
  return streams + Math.floor(admission.room(streams * SHARE) / SHARE + 1e-9)
}

/** A second in which so many measured streams were heard, each step this many times longer than expected and its answer this late; `spoken`: part of the time. */
function second(
  admission: Admission,
  at: number,
  streams: number,
  slowdown: number,
  lateness: number,
  spoken = 1,
): void {
  for (let i = 1; i <= 20; i++) {
    const expectedMs = streams * SHARE * 50 * spoken
    const done = { workMs: expectedMs * slowdown, cpuMs: expectedMs, expectedMs, isDue: true, lateness }
    admission.record((at + i / 20) * 1000, done, demandOf(streams))
  }
}

describe('admission', () => {
  it('counts a stream before it was heard', () => {
    const admission = new Admission(LIMITS, 0)
    for (const streams of [0, 30, 79, 80, 90]) expect(limit(admission, streams)).toBe(80)
  })

  it('counts new streams at the cost of those that it serves, but a flood at no more than twice that', () => {
    for (const { expectedMs, admitted } of [
      { expectedMs: 15, admitted: 53 },
      { expectedMs: 45, admitted: 40 },
    ]) {
      const admission = new Admission(LIMITS, 0)
      // Of 20 streams 10 ms were expected.
      for (let at = 0; at < MINUTE; at += 50)
        admission.record(
          at,
          { workMs: expectedMs, cpuMs: expectedMs, expectedMs, isDue: true, lateness: 0.1 },
          demandOf(20),
        )
      expect(limit(admission, 20)).toBe(admitted)
    }
  })

  it('does not take a single stream, of which one half second has a step and the next has none, for two', () => {
    const admission = new Admission(LIMITS, 0)
    const done = { workMs: 11.2, cpuMs: 11.2, expectedMs: 11.2, isDue: true, lateness: 0.1 }
    for (let at = 0; at < 60_000; at += 1120) {
      admission.record(at, done, demandOf(1))
      for (let ms = 100; ms < 1120; ms += 100) admission.advance(at + ms, demandOf(1))
      expect(limit(admission, 1)).toBeGreaterThan(65)
    }
  })

  it('takes more where people pause, but counts on no more than a tenth of their time', () => {
    const admission = new Admission(LIMITS, 0)
    for (let at = 0; at < 60; at++) second(admission, at, 20, 1, 0.1, 0.5)
    expect(limit(admission, 20)).toBe(88)
  })

  it('takes more where chunks share runs, as far as they do', () => {
    const admission = new Admission(LIMITS, 0)
    const done = { workMs: 9.5, cpuMs: 9.5, expectedMs: 10, isDue: true, lateness: 0.1 }
    for (let at = 0; at < MINUTE; at += 50) admission.record(at, done, demandOf(20))
    expect(limit(admission, 20)).toBe(84)
  })

  it('does not take chance for a machine that has become slower: every other half second a tenth more and less', () => {
    const admission = new Admission(LIMITS, 0)
    for (let at = 0; at < 60; at += 0.5)
      for (let i = 1; i <= 10; i++) {
        const cpuMs = at % 1 === 0 ? 11 : 9
        const done = { workMs: cpuMs, cpuMs, expectedMs: 10, isDue: true, lateness: 0.1 }
        admission.record((at + i / 20) * 1000, done, demandOf(20))
      }
    expect(limit(admission, 20)).toBeGreaterThanOrEqual(79)
  })

  it('takes fewer where steps are longer, although it has little to do', () => {
    const admission = new Admission(LIMITS, 0)
    for (let at = 0; at < 4; at++) second(admission, at, 20, 2, 0.1)
    expect(limit(admission, 20)).toBeLessThan(45)
    expect(limit(admission, 20)).toBeGreaterThanOrEqual(38)
  })

  it('does not take for a neighbour what the service itself uses of the core', () => {
    let nowMs = 0
    // Steps take twice as long. For four seconds the service uses a little more than that, then somebody else does.
    const serviceCpuMs = () => Math.min(nowMs, 4000) * 25 * SHARE
    const admission = new Admission({ ...LIMITS, serviceCpuMs }, 0)
    const hearUntil = (endMs: number) => {
      const done = { workMs: 20, cpuMs: 10, expectedMs: 10, isDue: true, lateness: 0.1 }
      for (; nowMs < endMs; nowMs += 50) admission.record(nowMs, done, demandOf(20))
    }
    hearUntil(4000)
    expect(limit(admission, 20)).toBeGreaterThanOrEqual(78)
    hearUntil(8000)
    expect(limit(admission, 20)).toBeLessThan(45)
  })

  it('leaves the service its part of a core that they share', () => {
    const admission = new Admission({ ...LIMITS, overhead: 1.25 }, 0)
    expect(limit(admission, 20)).toBe(64)
  })

  it('admits fewer when answers are late, and slowly more when they are not', () => {
    const admission = new Admission(LIMITS, 0)
    second(admission, 0, 50, 1, 1.2)
    const late = limit(admission, 50)
    expect(late).toBeLessThan(50)
    const limits = Array.from({ length: 60 }, (_, i) => {
      second(admission, 1 + i, 20, 1, 0.05)
      return limit(admission, 20)
    })
    expect(limits[1]!).toBeLessThan(late * 1.2)
    expect(limits.at(-1)).toBe(80)
    for (const [i, now] of limits.entries()) expect(now).toBeGreaterThanOrEqual(limits[i - 1] ?? 0)
  })

  it('admits as many as before when answers were late for a moment only', () => {
    const admission = new Admission(LIMITS, 0)
    const done = { workMs: 25, cpuMs: 25, expectedMs: 25, isDue: true }
    for (let at = 50; at <= 3000; at += 50)
      admission.record(at, { ...done, lateness: at > 1000 && at <= 1500 ? 1.5 : 0.1 }, demandOf(50))
    expect(limit(admission, 50)).toBe(80)
  })

  it('recovers when nothing is left to do', () => {
    const admission = new Admission(LIMITS, 0)
    second(admission, 0, 50, 4, 1.2)
    for (let at = 2; at < 180; at += 2.5) admission.advance(at * 1000, demandOf(0))
    expect(limit(admission, 0)).toBeGreaterThanOrEqual(78)
  })

  it('does not count what is done ahead of time: a file sent fast keeps nobody out', () => {
    const admission = new Admission(LIMITS, 0)
    for (let at = 0; at < 10_000; at += 50)
      admission.record(
        at,
        { workMs: 50, cpuMs: 50, expectedMs: 5, isDue: false, lateness: -5 },
        { all: SHARE, heard: 0 },
      )
    expect(limit(admission, 1)).toBe(80)
  })

  it('is not affected by a machine that was halted for half a minute', () => {
    const admission = new Admission(LIMITS, 0)
    for (let at = 0; at < 5; at++) second(admission, at, 20, 1, 0.1)
    const halted = { workMs: 30_000, cpuMs: 10, expectedMs: 10, isDue: true, lateness: 80 }
    admission.record(35_000, halted, demandOf(20))
    for (let at = 35; at < 55; at++) second(admission, at, 20, 1, 0.1)
    expect(limit(admission, 20)).toBeGreaterThan(40)
  })
})

describe('what a stream is expected to need', () => {
  it('counts the rest of an utterance once: as a part of its flush, not as a chunk, too', () => {
    const costs = { 13: { plainMs: 9, biasedMs: 9, flushMs: 12 } }
    // Utterances of every length between 4 and 6 s, in steps of 10 ms.
    const lengths = Array.from({ length: 201 }, (_, i) => 4000 + i * 10)
    const workMs = lengths.reduce((sum, ms) => sum + Math.floor(ms / 1120) * 9 + 12, 0)
    const share = workMs / lengths.reduce((sum, ms) => sum + ms, 0)
    expect(streamShare(costs, { lookAhead: 13, phrases: [] }) / share).toBeCloseTo(1, 1)
  })
})

/** So many streams of the simulation would fill the core if nobody waited for anybody. */
const BARE = 105

/** From one moment to another, somebody asks this often. */
function every(ms: number, fromMs: number, untilMs: number): number[] {
  return Array.from({ length: Math.ceil((untilMs - fromMs) / ms) }, (_, i) => fromMs + i * ms)
}

function waits({ finals }: Course, fromMs = 0, untilMs = Number.POSITIVE_INFINITY): number[] {
  const within = finals.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs)
  return within.map(({ waitMs }) => waitMs).sort((a, b) => a - b)
}

function p99(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * 0.99)]!
}

function mostOpen({ seconds }: Course, fromMs = 0, untilMs = Number.POSITIVE_INFINITY): number {
  return Math.max(...seconds.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs).map(({ open }) => open))
}

describe('many who come at once', () => {
  it.each([
    { arrivals: 'all in the same moment', everyMs: 0 },
    { arrivals: 'within three seconds', everyMs: 15 },
    { arrivals: 'within half a minute', everyMs: 150 },
  ])('$arrivals: those who are let in are answered in time', ({ everyMs }) => {
    const asked = Array.from({ length: 200 }, (_, i) => 1000 + i * everyMs)
    const scenario = { asked, sessionMs: MINUTE, slowdown: () => 1, refused: 'come back' } as const
    const course = simulate({ ...scenario, endMs: 2 * MINUTE })
    expect(mostOpen(course, 0, MINUTE)).toBeGreaterThan(BARE * 0.85)
    expect(p99(waits(course))).toBeLessThan(PATIENCE_MS.flush)
  })

  it.each([100, 200].flatMap(haltMs => [6000, 6700, 7200, 7700].map(atMs => ({ haltMs, atMs }))))(
    'all 40 of a burst, although one step takes $haltMs ms at $atMs ms',
    ({ haltMs, atMs }) => {
      let isOver = false
      const halt = (nowMs: number) => {
        if (isOver || nowMs < atMs) return 0
        isOver = true
        return haltMs
      }
      const asked = Array.from({ length: 40 }, (_, i) => 5000 + i * 75)
      const course = simulate({ endMs: 20_000, asked, sessionMs: 15_000, slowdown: () => 1, haltMs: halt })
      expect(course.refusedAtMs).toEqual([])
      expect(Math.min(...course.seconds.map(({ capacity }) => capacity))).toBeGreaterThan(80)
      expect(p99(waits(course, atMs + 2000))).toBeLessThan(PATIENCE_MS.flush)
    },
  )

  it('on a machine that has become half as fast, unnoticed while nobody spoke: in time once the first were heard', () => {
    const asked = every(50, 0, 10_000)
    const course = simulate({ endMs: 3 * MINUTE, asked, sessionMs: 2 * MINUTE, slowdown: () => 1.8 })
    expect(mostOpen(course)).toBeLessThan(65)
    expect(p99(waits(course, 20_000))).toBeLessThan(PATIENCE_MS.flush)
  })

  it('where speech costs half as much again as was expected', () => {
    const asked = every(100, 0, MINUTE)
    const course = simulate({ endMs: 2 * MINUTE, asked, sessionMs: MINUTE, slowdown: () => 1.5 })
    expect(p99(waits(course))).toBeLessThan(PATIENCE_MS.flush)
  })
})

describe('an engine that loses the core for a moment again and again', () => {
  /** Once in `everyMs` a step takes `haltMs`, whosever it is. */
  const halted = (haltMs: number, everyMs: number) => {
    let next = everyMs
    return (nowMs: number) => {
      if (nowMs < next) return 0
      next += everyMs
      return haltMs
    }
  }

  it.each([
    { haltMs: 100, everyMs: 1000 },
    { haltMs: 200, everyMs: 5000 },
    { haltMs: 200, everyMs: 2000 },
  ])('for $haltMs ms every $everyMs ms: nobody pays for it with a late answer', ({ haltMs, everyMs }) => {
    const asked = Array.from({ length: 60 }, (_, i) => 1000 + i * 50)
    const course = simulate({
      endMs: 2 * MINUTE,
      asked,
      sessionMs: 2 * MINUTE,
      slowdown: () => 1,
      haltMs: halted(haltMs, everyMs),
    })
    expect(mostOpen(course)).toBeGreaterThanOrEqual(35)
    expect(p99(waits(course))).toBeLessThan(PATIENCE_MS.flush)
    expect(waits(course).at(-1)).toBeLessThan(PATIENCE_MS.flush + haltMs)
  })
})

describe('a crowd on a machine where a stream costs more when many speak', () => {
  const WITHIN_MS = 3000

  /** With 30 and more streams a step takes so many times longer than with one. */
  const costing = (times: number) => (_: number, open: number) => 1 + (times - 1) * Math.min(1, open / 30)

  /** `count` people come within three seconds, and again when they were told to. */
  const crowd = (count: number, fromMs = 1000) =>
    Array.from({ length: count }, (_, i) => fromMs + (i * WITHIN_MS) / count)

  const cases = [
    ...[1.3, 1.6].flatMap(times => [40, 60, 100].map(count => ({ times, count }))),
    // Of 100, too many would be let in: they may cost 1.6 times as much as is expected, not twice.
    ...[40, 60].map(count => ({ times: 2, count })),
  ]

  it.each(cases)(
    '$times times more, $count come: all who are let in are answered in time',
    ({ times, count }) => {
      const slowdown = costing(times)
      const course = simulate({
        endMs: MINUTE,
        asked: crowd(count),
        sessionMs: 2 * MINUTE,
        slowdown,
        refused: 'come back',
      })
      expect(p99(waits(course))).toBeLessThan(PATIENCE_MS.flush)
      const carried = Math.min(count, BARE / times)
      expect(mostOpen(course, 0, 20_000)).toBeGreaterThan(carried * 0.85)
    },
  )

  it('fills a slower machine, whose service is on the same core: in a minute, and in time', () => {
    const machine = { audio: 17.8, flush: 22, service: 0.14 }
    // Without the service, 53 streams would fill the core.
    const course = simulate({
      machine,
      endMs: 90_000,
      asked: crowd(80),
      sessionMs: 2 * MINUTE,
      slowdown: () => 1,
      refused: 'come back',
    })
    expect(mostOpen(course, 0, MINUTE)).toBeGreaterThanOrEqual(53 * 0.85)
    expect(p99(waits(course))).toBeLessThan(PATIENCE_MS.flush)
  })

  it('tells those who are held back that it is a matter of seconds', () => {
    const asked = crowd(80)
    const { told } = simulate({ endMs: 5000, asked, sessionMs: MINUTE, slowdown: costing(1) })
    expect(told.length).toBeGreaterThan(5)
    expect(Math.max(...told)).toBeLessThanOrEqual(6)
  })

  it('is let in at once where the engine has carried as many a minute before, and not where that was long ago', () => {
    const refusedAfter = (pauseMs: number) => {
      const secondMs = 1000 + 2 * MINUTE + pauseMs
      const course = simulate({
        endMs: secondMs + 10_000,
        asked: [...crowd(90), ...crowd(72, secondMs)],
        sessionMs: MINUTE,
        slowdown: costing(1),
        refused: 'come back',
      })
      return course.refusedAtMs.filter(at => at >= secondMs).length
    }
    expect(refusedAfter(10_000)).toBe(0)
    expect(refusedAfter(60 * MINUTE)).toBeGreaterThan(0)
  })
})

describe('an engine whose machine gives half of its time to somebody else for three minutes', () => {
  const [busyFromMs, busyUntilMs, endMs] = [2 * MINUTE, 5 * MINUTE, 8 * MINUTE]
  const sessionMs = 30_000
  const course = simulate({
    endMs,
    sessionMs,
    asked: every(250, 0, endMs),
    slowdown: now => (now >= busyFromMs && now < busyUntilMs ? 2 : 1),
  })
  /** Sessions from before the change have ended, and the work that they left is done. */
  const phases = {
    before: [sessionMs, busyFromMs],
    during: [busyFromMs + 2 * sessionMs, busyUntilMs],
    after: [busyUntilMs, endMs],
  } as const

  it('keeps its promise to those that it admits before, meanwhile and afterwards', () => {
    for (const phase of Object.values(phases))
      expect(p99(waits(course, ...phase))).toBeLessThan(PATIENCE_MS.flush)
  })

  it('admits half as many meanwhile, and as many as before within a minute', () => {
    const before = mostOpen(course, ...phases.before)
    expect(before).toBeGreaterThan(60)
    expect(mostOpen(course, ...phases.during)).toBeLessThan(before * 0.65)
    expect(mostOpen(course, ...phases.during)).toBeGreaterThan(before * 0.4)
    expect(mostOpen(course, busyUntilMs, busyUntilMs + MINUTE)).toBeGreaterThan(before * 0.9)
  })

  it('does not oscillate: while nothing changes, it admits the same number', () => {
    for (const [fromMs, untilMs] of [phases.before, phases.during, [busyUntilMs + MINUTE, endMs]] as const) {
      const capacities = course.seconds.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs)
      const values = capacities.map(({ capacity }) => capacity)
      expect(Math.max(...values) - Math.min(...values)).toBeLessThanOrEqual(0.15 * Math.max(...values))
    }
  })

  it('starves no stream: even the slowest, in the minute of the change, gets an answer', () => {
    const finals = waits(course, busyFromMs, busyFromMs + MINUTE)
    expect(finals.length).toBeGreaterThan(200)
    expect(finals.at(-1)).toBeLessThan(sessionMs)
  })
})

describe('a neighbour that comes and goes every five seconds', () => {
  it('does not make the engine admit what it cannot serve when the neighbour is back', () => {
    const course = simulate({
      endMs: 5 * MINUTE,
      sessionMs: 30_000,
      asked: every(250, 0, 5 * MINUTE),
      slowdown: now => (Math.floor(now / 5000) % 2 === 0 ? 1 : 2),
    })
    expect(p99(waits(course, MINUTE))).toBeLessThan(PATIENCE_MS.flush)
    expect(mostOpen(course, MINUTE)).toBeGreaterThan(25)
  })
})
