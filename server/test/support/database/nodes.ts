// A node that is registered and does nothing else: what tests of money and of HTTP reserve on.

import { randomUUID } from 'node:crypto'
import { MODEL_IDS } from '@sauti/protocol/models'
import type { Queryable } from '#server/db/port.js'
import type { ReservationRequest } from '#server/ledger/reserve.js'
import { registerNode } from '#server/nodes/registry.js'

export type TestNode = ReservationRequest['node']

export interface TestNodeOptions {
  readonly id?: string
  readonly capacity?: number
  readonly url?: string
}

export async function registerTestNode(
  db: Queryable,
  { id = randomUUID(), capacity = 1000, url = 'https://sauti.test' }: TestNodeOptions = {},
): Promise<TestNode> {
  const vitals = { models: MODEL_IDS, capacity, openStreams: 0, endedLastMinute: 0 }
  await registerNode(db, { id, version: 'test', url, state: 'ready' }, vitals)
  return { id, capacity, isOpen: true, lostAfterMs: 10_000 }
}
