// sauti nodes: the processes of the service that share the database.

import { type ListedNode, listNodes } from '@sauti/server/nodes/registry.js'
import type { Command, Result } from '../command.ts'
import { alignColumns } from '../help.ts'
import { withDatabase } from '../with-database.ts'

export const nodesCommand: Command = {
  name: 'nodes',
  options: {},
  examples: ['sauti nodes', 'sauti nodes --json'],
  run: list,
}

async function list(): Promise<Result> {
  const nodes = await withDatabase(listNodes)
  return { json: { data: nodes.map(toJson) }, text: describe(nodes) }
}

function toJson(node: ListedNode): object {
  return {
    id: node.id,
    version: node.version,
    url: node.url,
    state: node.state,
    models: node.models,
    capacity: node.capacity,
    open_streams: node.openStreams,
    sessions: node.sessions,
    silent_ms: node.silentMs,
    started_at: node.startedAt.toISOString(),
  }
}

function describe(nodes: readonly ListedNode[]): string {
  if (nodes.length === 0) return 'no node has registered yet'
  const rows = nodes.map(({ id, state, sessions, capacity, openStreams, silentMs, version, url }) => [
    id,
    state,
    `${sessions} of ${capacity}`,
    String(openStreams),
    `${(silentMs / 1000).toFixed(1)} s`,
    version,
    url ?? '',
  ])
  return alignColumns([['node', 'state', 'slots taken', 'streams', 'silent', 'version', 'address'], ...rows])
}
