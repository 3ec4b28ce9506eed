// This node among the others: what it says about itself, when it joins, and how it drains before it stops.

import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../db/port.ts'
import { Membership } from '../nodes/membership.ts'
import { SharedRates } from '../nodes/shared-rates.ts'
import { startUpkeep } from '../nodes/upkeep.ts'
import type { Recogniser } from '../recogniser/port.ts'
import type { Config } from '../settings/config.ts'
import type { StreamServer } from '../stream/server.ts'
import { VERSION } from '../version.ts'
import type { Basis } from './basis.ts'
import type { StartedParts } from './started-parts.ts'

const DRAIN_POLL_MS = 250

/** What the node reports about itself, and ends when it is lost. Filled in when these parts have started. */
export interface Serving {
  recogniser: Recogniser | undefined
  streams: StreamServer | undefined
}

export function createMembership(config: Config, log: Logger, db: Database, serving: Serving): Membership {
  return new Membership({
    db,
    version: VERSION,
    settings: config,
    monotonicMs: () => performance.now(),
    vitals: () => ({
      models: serving.recogniser?.models ?? [],
      capacity: (serving.recogniser?.capacity ?? 0) - (serving.recogniser?.heldBack ?? 0),
      openStreams: serving.recogniser?.openStreams ?? 0,
    }),
    onLoss(loss) {
      log.error({ loss }, 'the other nodes declared this one dead: its streams end, unbilled')
      serving.streams?.failAll()
    },
  })
}

/** Counts of accounts that nodes tell each other. */
export function shareRates(
  { config, node, clock, log }: Pick<Basis, 'config' | 'node' | 'clock' | 'log'>,
  db: Database,
  started: StartedParts,
): SharedRates {
  const rates = new SharedRates({
    db,
    nodeId: () => node.id,
    clock,
    onError(error, failuresBefore) {
      if (failuresBefore === 0) log.warn({ err: error }, 'rates could not be shared with the other nodes')
    },
  })
  if (!isAlone(config)) {
    const exchange = rates.start()
    started.add(() => exchange.stop())
  }
  return rates
}

/** The embedded database belongs to one process. */
export function isAlone({ databaseUrl }: Config): boolean {
  return databaseUrl === undefined
}

/** From here on sessions are placed on this node. */
export async function joinOthers(
  { config, log, node, clock }: Basis,
  db: Database,
  publicUrl: string,
  started: StartedParts,
): Promise<void> {
  await node.join(config.nodeUrl ?? publicUrl)
  const upkeep = startUpkeep({
    db,
    node,
    clock,
    settings: config,
    isAlone: isAlone(config),
    onDeclaredDead: nodes =>
      log.warn({ nodes }, 'nodes were declared dead; their sessions are failed, unbilled'),
    onError: error => log.error({ err: error }, 'upkeep failed and will be tried again'),
  })
  started.add(() => upkeep.stop())
}

/** The node takes no new sessions. Clients that were sent here by address may still come; streams run on up to the deadline. */
export async function drainNode({ config, log, node }: Basis, streams: StreamServer): Promise<void> {
  const deadlineMs = performance.now() + config.drainTimeoutMs
  try {
    await node.startDraining()
    if (config.nodeUrl !== undefined) await waitForClients(node, deadlineMs)
  } catch (error) {
    log.warn({ err: error }, 'the other nodes could not be told that this one is draining')
  }
  await streams.drain(Math.max(0, deadlineMs - performance.now()))
}

async function waitForClients(node: Membership, deadlineMs: number): Promise<void> {
  while (performance.now() < deadlineMs && (await node.waitingReservations()) > 0) await wait(DRAIN_POLL_MS)
}
