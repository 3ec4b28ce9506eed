// From a fresh checkout to a first transcript: installs, builds, and then runs `sauti quickstart` with the same options.

import { buildService, installPackages } from './run.mjs'

for (const [what, work] of [
  ['Installing packages', installPackages],
  ['Building', buildService],
]) {
  console.log(`${what} ...`)
  if (!(await work())) process.exit(1)
}
const { main } = await import('../cli/dist/main.js')
process.exitCode = await main(['quickstart', ...process.argv.slice(2)])
