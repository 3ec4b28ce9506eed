// Test files that take longest start first, so that all workers end at about the same time. Vitest itself knows the durations only from an
// earlier run; in a fresh clone it goes by the size of the files.

import { BaseSequencer } from 'vitest/node'

/** Each takes more than 20 s on two cores. Their order does not matter much, as long as none of them is last. */
const LONG = [
  'scripts/test/clients/newcomer.test.ts',
  'scripts/test/clients/pack.test.ts',
  'server/test/postgres/processes.test.ts',
  'server/test/postgres/patroni.test.ts',
  'server/test/postgres/failover.test.ts',
  'cli/test/postgres/conformance.test.ts',
  'server/test/postgres/faults-of-nodes.test.ts',
  'cli/test/service/conformance.test.ts',
  'cli/test/clients/conformance-mutations.test.ts',
  'server/test/unit/recogniser/engine/bundled-models.test.ts',
  'server/test/unit/embedded-durability.test.ts',
  'server/test/service/privacy/everything.test.ts',
  'server/test/service/kill.test.ts',
  'server/test/service/backup.test.ts',
]

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const others = await super.sort(files)
    return others.toSorted((a, b) => rank(a) - rank(b))
  }
}

function rank({ moduleId }) {
  const place = LONG.findIndex(name => moduleId.endsWith(name))
  return place < 0 ? LONG.length : place
}
