// Ours beside its peers as one table, the architectures side by side.

import { type Ratio, ratiosOf } from './ratios.ts'
import type { ArchitectureResults } from './shapes.ts'
import { type Cell, tableOf } from './table.ts'

/** With one peer alone it is not named. */
export function besideTable(all: readonly ArchitectureResults[], onlyPeer?: string): string[] {
  const columns = all
    .map(({ architecture, results }) => ({
      architecture,
      ratios: ratiosOf(results).filter(({ peer }) => onlyPeer === undefined || peer === onlyPeer),
    }))
    .filter(({ ratios }) => ratios.length > 0)
  const named = (what: Cell, peer: Cell) => (onlyPeer === undefined ? [what, peer] : [what])
  return tableOf(
    [
      ...(named('What', 'Peer') as string[]),
      ...columns.flatMap(({ architecture }) => [`${architecture}: ours`, 'theirs', 'ours / theirs']),
    ],
    rowsOf(columns.flatMap(({ ratios }) => ratios)).map(row => [
      ...named(row.what, row.peer),
      ...columns.flatMap(({ ratios }) => {
        const one = ratios.find(other => isSame(row, other))
        return one === undefined ? [null, null, null] : [one.ours, one.theirs, one.ratio]
      }),
    ]),
  )
}

/** What is compared on any architecture, in the order of the first that has it. */
function rowsOf(ratios: readonly Ratio[]): Ratio[] {
  return ratios.filter((one, i) => ratios.findIndex(other => isSame(one, other)) === i)
}

function isSame(one: Ratio, other: Ratio): boolean {
  return one.what === other.what && one.peer === other.peer
}
