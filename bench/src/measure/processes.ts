// What a process and all its children have used so far. Linux only.

import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

const TICK_MS = 10

export interface Used {
  /** CPU time of the process that clients connect to, and of its engines. */
  readonly frontCpuMs: number
  readonly enginesCpuMs: number
  /** Proportional set size: pages that several processes share count in parts. */
  readonly frontMb: number
  readonly enginesMb: number
}

export function usedBy(pid: number): Used {
  const [, ...children] = familyOf(pid)
  return {
    frontCpuMs: cpuMsOf(pid),
    enginesCpuMs: sumOf(children, cpuMsOf),
    frontMb: memoryMbOf(pid),
    enginesMb: sumOf(children, memoryMbOf),
  }
}

/** CPU time only, which is cheaper to ask for than memory. */
export function cpuMsUsedBy(pid: number): { readonly front: number; readonly engines: number } {
  const [, ...children] = familyOf(pid)
  return { front: cpuMsOf(pid), engines: sumOf(children, cpuMsOf) }
}

export function memoryMbUsedBy(pid: number): number {
  return sumOf(familyOf(pid), memoryMbOf)
}

/** CPU time of all programs together. */
export function machineCpuMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}

export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function familyOf(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).trim().split(' ')
  return [pid, ...children.filter(child => child !== '').flatMap(child => familyOf(Number(child)))]
}

function cpuMsOf(pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS
}

function memoryMbOf(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024
}

/** A child may end between being listed and being read, as the decoder of a file does. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function sumOf(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((sum, pid) => sum + of(pid), 0)
}
