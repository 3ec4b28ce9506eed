// npm run prove:conformance: holds our own service against the interface, on both databases and on two nodes, and the rules against wrong
// services; writes the pages about it in docs/proof.

import { join } from 'node:path'
import { signPage } from './provenance.mjs'
import { build, ROOT, run } from './run.mjs'

const PAGES = ['embedded', 'postgres', 'two-nodes', 'mutations']
const TESTS = [
  'cli/test/service/conformance.test.ts',
  'cli/test/postgres/conformance.test.ts',
  'cli/test/clients/conformance-mutations.test.ts',
]
const folder = join(ROOT, 'docs/proof')

const isGood =
  (await build()) && (await run('npx', ['vitest', 'run', ...TESTS], { env: { SAUTI_PROOF: folder } }))
if (isGood)
  for (const page of PAGES) signPage(join(folder, `conformance-${page}.md`), 'npm run prove:conformance')
process.exitCode = isGood ? 0 : 1
