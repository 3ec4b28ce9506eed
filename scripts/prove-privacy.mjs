// npm run prove:privacy: speaks to the whole service and searches everything that it wrote, on both databases; writes the pages about it in
// docs/proof.

import { join } from 'node:path'
import { signPage } from './provenance.mjs'
import { build, ROOT, run } from './run.mjs'

const folder = join(ROOT, 'docs/proof')
const tests = ['vitest', 'run', 'server/test/service/privacy']

const isGood = (await build()) && (await run('npx', tests, { env: { SAUTI_PROOF: folder } }))
if (isGood)
  for (const database of ['embedded', 'postgres'])
    signPage(join(folder, `privacy-${database}.md`), 'npm run prove:privacy')
process.exitCode = isGood ? 0 : 1
