// Test files that take longest start first, so that all workers end at about the same time. Vitest itself knows the durations only from an
// earlier run; in a fresh clone it goes by the size of the files. The others are in the order of their projects, because a process is used
// for one more file only when that file is the next one and of the same project.

import { BaseSequencer } from 'vitest/node'

/**
 * Each takes more than 20 s on two cores. None of them must be last. Those that mostly wait (for a leader to be replaced, a node to be
 * declared dead, a credential to expire) alternate with those that keep a core busy, so that not all workers wait at the same time.
 */
const LONG = [
  'scripts/test/clients/image.test.ts',
  'console/test/browser/accessibility.test.ts',
  'server/test/postgres/patroni.test.ts',
  'scripts/test/clients/newcomer.test.ts',
  'server/test/postgres/processes.test.ts',
  'scripts/test/clients/pack.test.ts',
  'server/test/postgres/failover.test.ts',
  'cli/test/postgres/conformance.test.ts',
  'server/test/service/kill.test.ts',
  'server/test/postgres/faults-of-nodes.test.ts',
  'server/test/unit/recogniser/engine/bundled-models.test.ts',
  'cli/test/service/conformance.test.ts',
  'server/test/service/privacy/everything.test.ts',
  'cli/test/clients/conformance-mutations.test.ts',
  'console/test/browser/story.test.ts',
  'server/test/unit/embedded-durability.test.ts',
  'server/test/service/console/hardening.test.ts',
  'server/test/service/backup.test.ts',
]

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const others = await super.sort(files)
    return others.toSorted((a, b) => rank(a) - rank(b) || a.project.name.localeCompare(b.project.name))
  }
}

function rank({ moduleId }) {
  const place = LONG.findIndex(name => moduleId.endsWith(name))
  return place < 0 ? LONG.length : place
}
