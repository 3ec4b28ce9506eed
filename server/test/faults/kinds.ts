// The kinds of lots, and the faults of each.

import { CERTIFICATE_FAULTS, type CertificateFault } from '../support/faults/impostor.ts'

/** On one service, of one process. */
const SERVICE_KINDS = [
  'kill',
  'engine-killed',
  'database-gone',
  'vanishing-clients',
  'disk-full',
  'database-slow',
  'greedy-clients',
  'clock',
  'database-restarted',
  'tls',
  'engine-hung',
  'slow-clients',
] as const
/** On three nodes with one PostgreSQL: one of them at a time is struck. */
const NODE_KINDS = ['node-killed', 'node-paused', 'node-cut-off', 'node-drained'] as const
/** On one service, with another server in its place that has a wrong certificate, or a handshake that breaks off. */
const CERTIFICATE_KINDS = ['certificates'] as const
/** What `npm run faults -- --suite NAME` runs. */
export const SUITES = { service: SERVICE_KINDS, nodes: NODE_KINDS, certificates: CERTIFICATE_KINDS } as const
export type Suite = keyof typeof SUITES
export type Kind = (typeof SUITES)[Suite][number]
export const ALL_KINDS: readonly Kind[] = Object.values(SUITES).flat()

export type Fault =
  | 'kill the service'
  | 'kill the service, and again while it starts'
  | 'kill an engine'
  | 'hang an engine'
  | 'database gone'
  | 'database slow'
  | 'database stalled'
  | 'database restarted'
  | 'disk full'
  | 'clock forward'
  | 'clock back'
  | 'kill a node'
  | 'pause a node'
  | 'cut a node off from the database'
  | 'drain a node'
  | 'connection cut'
  | 'connection stalled'
  | 'upload cut midway'
  | 'slow both ways'
  | 'slow answers'
  | 'bytes changed on the way'
  | 'strangers that speak no TLS'
  | 'handshake cut midway'
  | CertificateFault

export const FAULTS: Readonly<Record<Kind, readonly Fault[]>> = {
  kill: ['kill the service', 'kill the service', 'kill the service, and again while it starts'],
  'engine-killed': ['kill an engine'],
  'engine-hung': ['hang an engine'],
  'database-gone': ['database gone'],
  'database-slow': ['database slow', 'database stalled'],
  'database-restarted': ['database restarted'],
  'disk-full': ['disk full'],
  clock: ['clock forward', 'clock back'],
  tls: ['bytes changed on the way', 'strangers that speak no TLS'],
  'vanishing-clients': ['connection cut', 'connection stalled', 'upload cut midway'],
  'slow-clients': ['slow both ways', 'slow answers'],
  'greedy-clients': ['strangers that speak no TLS'],
  'node-killed': ['kill a node'],
  'node-paused': ['pause a node'],
  'node-cut-off': ['cut a node off from the database'],
  'node-drained': ['drain a node'],
  certificates: ['handshake cut midway', ...CERTIFICATE_FAULTS],
}

/** Faults of the connection of one client: every history of the lot has its own. The others hit the service, so few are enough. */
export const OF_CLIENTS: readonly Kind[] = [
  'tls',
  'vanishing-clients',
  'slow-clients',
  'greedy-clients',
  'certificates',
]
const NEEDS_POSTGRES: readonly Kind[] = [
  ...NODE_KINDS,
  'database-gone',
  'database-slow',
  'database-restarted',
]
/** Lots of these kinds meet several nodes. */
export function needsNodes(kind: Kind): boolean {
  return (NODE_KINDS as readonly Kind[]).includes(kind)
}

export function needsPostgres(kind: Kind): boolean {
  return NEEDS_POSTGRES.includes(kind)
}

export function hitsService(fault: Fault): boolean {
  return !OF_CLIENTS.some(kind => FAULTS[kind].includes(fault))
}

/** A start takes seconds, and an engine that hangs is given up only after ten. */
export const STRIKES: Partial<Record<Kind, number>> = { kill: 1, 'engine-hung': 1, 'disk-full': 1 }
export const USUAL_STRIKES = 2
