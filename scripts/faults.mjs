// npm run faults -- [--histories N] [--seed S] [--suite NAME] [--only KIND] [--report FILE] [--plan]: seeded histories on the real
// service while faults strike it. The seed is printed at the beginning; a run with the same seed repeats it. --plan only shows what would happen.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build, run } from './run.mjs'

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    suite: { type: 'string', default: 'service' },
    only: { type: 'string', default: '' },
    report: { type: 'string', default: '' },
    plan: { type: 'boolean', default: false },
  },
})
console.log(`seed ${values.seed}, ${values.histories} histories`)
const env = {
  SAUTI_FAULTS_HISTORIES: values.histories,
  SAUTI_FAULTS_SEED: values.seed,
  SAUTI_FAULTS_SUITE: values.suite,
  SAUTI_FAULTS_ONLY: values.only,
  SAUTI_FAULTS_REPORT: values.report && resolve(values.report),
  SAUTI_FAULTS_PLAN: values.plan ? '1' : '',
}
const config = ['--config', 'server/test/faults/vitest.config.ts']
const isGood = (await build()) && (await run('npx', ['vitest', 'run', ...config], { env }))
process.exitCode = isGood ? 0 : 1
