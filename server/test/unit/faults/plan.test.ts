import { describe, expect, it } from 'vitest'
import { ALL_KINDS, SUITES } from '../../faults/kinds.ts'
import { planLot } from '../../faults/plan.ts'

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed)

describe('the plan of a lot', () => {
  it('repeats with its seed, and differs with another', () => {
    for (const seed of SEEDS) expect(planLot(seed, { histories: 5 })).toEqual(planLot(seed, { histories: 5 }))
    const plans = SEEDS.map(seed => JSON.stringify(planLot(seed, { histories: 5, kind: 'kill' })))
    expect(new Set(plans).size).toBe(SEEDS.length)
  })

  it('has every kind of fault in turn, those of either database on both', () => {
    const lots = SEEDS.map(seed => planLot(seed, { histories: 3 }))
    expect(new Set(lots.map(lot => lot.kind))).toEqual(new Set(SUITES.service))
    const kills = lots.filter(lot => lot.kind === 'kill')
    expect(new Set(kills.map(lot => lot.database))).toEqual(new Set(['embedded', 'postgres']))
    const outages = lots.filter(lot => lot.kind === 'database-gone')
    expect(new Set(outages.map(lot => lot.database))).toEqual(new Set(['postgres']))
  })

  it('meets three nodes on PostgreSQL where nodes are struck, each kind in turn', () => {
    const lots = SEEDS.map(seed => planLot(seed, { histories: 3, suite: 'nodes' }))
    expect(new Set(lots.map(lot => lot.kind))).toEqual(new Set(SUITES.nodes))
    expect(new Set(lots.map(({ nodes, database }) => `${nodes} on ${database}`))).toEqual(
      new Set(['3 on postgres']),
    )
  })

  it('strikes only operations that there are, and at least once', () => {
    for (const kind of ALL_KINDS) {
      for (const seed of SEEDS) {
        const { strikes, histories } = planLot(seed, { histories: 4, kind })
        expect(strikes.length).toBeGreaterThan(0)
        for (const { history, operation } of strikes) expect(histories[history]![operation]).toBeDefined()
      }
    }
  })

  it('lets every operation occur', () => {
    const operations = SEEDS.flatMap(seed => planLot(seed, { histories: 20 }).histories.flat())
    const types = new Set(operations.map(operation => operation.type))
    expect([...types].sort()).toEqual([
      'audio',
      'cancel',
      'close',
      'create',
      'create many',
      'file',
      'flush',
      'grant',
      'metered',
      'open',
      'open twice',
      'oversized frame',
      'replay',
      'replay at once',
      'reset',
      'revoke',
      'usage',
      'vanish',
    ])
  })
})
