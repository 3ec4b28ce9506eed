// From the costs of one stream and one session to those of many.

import { ASSUMED, GIVEN, MEASURED } from './costs.ts'

export interface Plan {
  readonly streams: number
  /** Streams that a node admits; it is planned with less. */
  readonly nodeCapacity: number
  readonly nodePlanned: number
  readonly nodes: number
  readonly cores: number
  readonly mainProcess: number
  readonly nodeMemoryMb: number
  readonly nodeMbit: number
  readonly totalGbit: number
  readonly creations: number
  readonly sessionTransactions: number
  readonly upkeepTransactions: number
  readonly connections: number
  readonly ledgers: number
}

export const STREAMS_PER_CORE = GIVEN.chunkMs / MEASURED.cpuMsPerChunk

export function planFor(streams: number): Plan {
  const nodeCapacity = Math.floor(ASSUMED.enginesPerNode * STREAMS_PER_CORE * MEASURED.admittedShare)
  const nodePlanned = Math.floor(nodeCapacity * ASSUMED.load)
  const nodes = Math.ceil(streams / nodePlanned)
  const creations = (ASSUMED.burst * streams) / ASSUMED.sessionSeconds
  return {
    streams,
    nodeCapacity,
    nodePlanned,
    nodes,
    cores: nodes * ASSUMED.coresPerNode,
    mainProcess: (nodePlanned * GIVEN.framesPerSecond * MEASURED.cpuUsPerFrame) / 1e6,
    nodeMemoryMb: nodePlanned * MEASURED.memoryMbPerStream,
    nodeMbit: (nodePlanned * GIVEN.kbitPerStream) / 1_000,
    totalGbit: (streams * GIVEN.kbitPerStream) / 1e6,
    creations,
    sessionTransactions: creations * MEASURED.transactionsPerCreation,
    upkeepTransactions: nodes * GIVEN.upkeepPerNode,
    connections: nodes * GIVEN.connectionsPerNode,
    ledgers: Math.ceil(creations / (MEASURED.creationsPerSecond * ASSUMED.databaseShare)),
  }
}
