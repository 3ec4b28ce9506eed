// Results as files: one per bench and architecture, with the machine, the moment and the commit they are of. Everything that shows figures is made
// from them.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem, type } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { round } from '../measure/numbers.ts'
import { machineCpuMs, ownCpuMs } from '../measure/processes.ts'
import {
  ARCHITECTURES,
  type Architecture,
  type ArchitectureResults,
  type Machine,
  RESULT_NAMES,
  type Recorded,
  type ResultFigures,
  type ResultName,
  type Results,
} from './shapes.ts'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = join(ROOT, 'bench/results')
/** What a run writes: a tree that differs only in these counts as that of its commit. */
const WRITTEN = ['bench/results', 'bench/RESULTS.md', 'docs/plots', 'docs/latency.md', 'README.md']
const LISTEN_MS = 3000

/** Runs a bench and keeps what it found. */
export async function record<Name extends ResultName>(
  name: Name,
  command: string,
  bench: () => Promise<ResultFigures[Name]>,
): Promise<void> {
  const machine = describeMachine()
  const before = await listenToOthers()
  const figures = await bench()
  const after = await listenToOthers()
  const recorded: Recorded<ResultFigures[Name]> = {
    command,
    date: new Date().toISOString(),
    commit: readCommit(),
    machine,
    others: { before, after },
    figures,
  }
  const file = fileOf(machine.architecture, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
}

export function readResults(): ArchitectureResults[] {
  return ARCHITECTURES.map(architecture => ({ architecture, results: readResultsOf(architecture) }))
}

function readResultsOf(architecture: Architecture): Results {
  const files = RESULT_NAMES.map(name => [name, fileOf(architecture, name)] as const)
  const found = files.filter(([, file]) => existsSync(file))
  return Object.fromEntries(found.map(([name, file]) => [name, JSON.parse(readFileSync(file, 'utf8'))]))
}

function fileOf(architecture: Architecture, name: ResultName): string {
  return join(FOLDER, architecture, `${name}.json`)
}

async function listenToOthers(): Promise<number> {
  const used = () => machineCpuMs() - ownCpuMs()
  const [began, before] = [performance.now(), used()]
  await wait(LISTEN_MS)
  return round(Math.max(0, used() - before) / (performance.now() - began), 2)
}

function readCommit(): string {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  const changes = git('status', '--porcelain', '--', '.', ...WRITTEN.map(path => `:!${path}`))
  return `${git('rev-parse', '--short', 'HEAD')}${changes === '' ? '' : ', with changes'}`
}

function describeMachine(): Machine {
  const processors = cpus()
  const architecture = ARCHITECTURES.find(one => one === (process.arch === 'x64' ? 'x86-64' : process.arch))
  if (architecture === undefined) throw new Error(`results are kept for ${ARCHITECTURES.join(' and ')}`)
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    architecture,
    cores: processors.length,
    memoryGb: round(totalmem() / 2 ** 30, 0),
    system: type(),
    node: process.version,
  }
}
