// What a process and all its children have used so far. Linux only.

import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

const TICK_MS = 10

export interface Used {
  /** CPU time of the process that clients connect to, and of its engines. */
  readonly frontCpuMs: number
  readonly enginesCpuMs: number
  /** Memory of their own, without files such as the code of Node: a process's part of those changes with every other Node program. */
  readonly frontMb: number
  readonly enginesMb: number
}

export function usedBy(pid: number): Used {
  const [, ...children] = familyOf(pid)
  return {
    frontCpuMs: cpuMsOf(pid),
    enginesCpuMs: sumOf(children, cpuMsOf),
    frontMb: ownMemoryMbOf(pid),
    enginesMb: sumOf(children, ownMemoryMbOf),
  }
}

/** CPU time only, which is cheaper to ask for than memory. */
export function cpuMsUsedBy(pid: number): { readonly front: number; readonly engines: number } {
  const [, ...children] = familyOf(pid)
  return { front: cpuMsOf(pid), engines: sumOf(children, cpuMsOf) }
}

/** Proportional set size: pages that several processes share, also of files, count in parts. */
export function memoryMbUsedBy(pid: number): number {
  return sumOf(familyOf(pid), pid => memoryMbOf(pid, 'Pss'))
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

function ownMemoryMbOf(pid: number): number {
  return memoryMbOf(pid, 'Pss_Anon')
}

function memoryMbOf(pid: number, field: 'Pss' | 'Pss_Anon'): number {
  const rollup = read(`/proc/${pid}/smaps_rollup`)
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0) / 1024
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
