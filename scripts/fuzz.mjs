// npm run fuzz -- --minutes N [--seed S] [--only frames]: every fuzz target for N minutes, one after the other. The seed is printed
// at the beginning; a run with the same seed repeats it.

import { parseArgs } from 'node:util'
import { describeRun } from './provenance.mjs'
import { build, run } from './run.mjs'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string', default: '' },
  },
})
const only = values.only === '' ? '' : ` --only ${values.only}`
// As it stands on the page about fuzzing.
console.log(describeRun(`npm run fuzz --${only} --minutes ${values.minutes} --seed ${values.seed}`))
const env = { SAUTI_FUZZ_SECONDS: String(Number(values.minutes) * 60), SAUTI_FUZZ_SEED: values.seed }
const tests = ['server/test/clients/fuzz/', 'server/test/unit/fuzz/'].map(folder => folder + values.only)
const isGood =
  (await build()) && (await run('npx', ['vitest', 'run', '--no-file-parallelism', ...tests], { env }))
process.exitCode = isGood ? 0 : 1
