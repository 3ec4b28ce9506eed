// npm run bench -- all [--short] [--only=NAME,...]: every bench that has a peer, and how cost grows, one after the other, each in a process of its
// own; then RESULTS.md and the plots are made anew. A bench that fails or hangs keeps its older result and is named at the end.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import * as plots from '../plots/plots.ts'

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url))
/** Far more than any of them needs. */
const LONGEST_MS = 30 * 60_000

interface Sizes {
  readonly long: readonly string[]
  readonly short: readonly string[]
}

/** Those whose milliseconds matter most come first. */
const PROGRAMME: Readonly<Record<string, Sizes>> = {
  'end-to-end': {
    long: ['--streams=1,10,20,40,60,80', '--seconds=15'],
    short: ['--streams=5,20', '--seconds=8'],
  },
  load: {
    long: ['--streams=20', '--files=1', '--minutes=3'],
    short: ['--streams=10', '--files=1', '--minutes=0.5'],
  },
  engine: { long: ['--only=costs'], short: ['--only=costs'] },
  'start-up': { long: ['--rounds=3'], short: ['--rounds=1', '--sessions=100'] },
  growth: {
    long: ['--streams=', '--idle=100,1000,10000', '--sessions=1000,10000,100000,1000000'],
    short: ['--streams=', '--idle=100,1000', '--sessions=1000,10000'],
  },
  stream: {
    long: ['--rounds=2'],
    short: ['--rounds=1', '--seconds=5', '--streams=100', '--idle=500'],
  },
  http: { long: ['--seconds=8'], short: ['--seconds=2'] },
  noisy: { long: ['--seconds=60'], short: ['--seconds=10'] },
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { short: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
  })
  const only = values.only.split(',').filter(Boolean)
  const names = Object.keys(PROGRAMME).filter(name => only.length === 0 || only.includes(name))
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const failed: string[] = []
  for (const name of names) {
    if (!(await measure(name, PROGRAMME[name]![values.short ? 'short' : 'long']))) failed.push(name)
    // After each, so that an interrupted run leaves what it has found.
    await plots.run()
  }
  console.log(failed.length === 0 ? 'all benches ran' : `failed, older results kept: ${failed.join(', ')}`)
  if (failed.length > 0) process.exitCode = 1
}

async function measure(name: string, args: readonly string[]): Promise<boolean> {
  const began = Date.now()
  console.log(`\n== ${name} ${args.join(' ')}`)
  // A group of its own, so that whatever it started ends with it.
  const child = spawn(process.execPath, [MAIN, 'record', name, ...args], { stdio: 'inherit', detached: true })
  const endGroup = () => endAllOf(child.pid!)
  process.once('exit', endGroup)
  const timer = setTimeout(endGroup, LONGEST_MS)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  process.off('exit', endGroup)
  endGroup()
  console.log(`== ${name} took ${Math.round((Date.now() - began) / 1000)} s`)
  return code === 0
}

function endAllOf(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch (error) {
    // Nothing of it is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
