// Results as files: one per bench, with the machine, the moment and the commit they are of. Everything that shows figures is made from them.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { round } from '../measure/numbers.ts'
import { machineCpuMs, ownCpuMs } from '../measure/processes.ts'
import type { Machine, Recorded, ResultFigures, ResultName, Results } from './shapes.ts'

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
  const before = await listenToOthers()
  const figures = await bench()
  const after = await listenToOthers()
  const recorded: Recorded<ResultFigures[Name]> = {
    command,
    date: new Date().toISOString(),
    commit: readCommit(),
    machine: describeMachine(),
    others: { before, after },
    figures,
  }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(fileOf(name), `${JSON.stringify(recorded, null, 1)}\n`)
}

export function readResults(names: readonly ResultName[]): Results {
  const found = names.filter(name => existsSync(fileOf(name)))
  return Object.fromEntries(found.map(name => [name, JSON.parse(readFileSync(fileOf(name), 'utf8'))]))
}

function fileOf(name: string): string {
  return join(FOLDER, `${name}.json`)
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
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    architecture: process.arch === 'x64' ? 'x86-64' : process.arch,
    cores: processors.length,
    memoryGb: round(totalmem() / 2 ** 30, 0),
    system: type(),
    node: process.version,
  }
}
