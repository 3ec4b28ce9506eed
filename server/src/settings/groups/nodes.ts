// Nodes that share a database: heartbeats, lost nodes and expired reservations.

import { duration, type SettingsTable } from '../setting.ts'

export const NODES = {
  heartbeatIntervalMs: duration(
    'SAUTI_HEARTBEAT_SECONDS',
    2,
    'How often a node writes its heartbeat to the database.',
  ),
  nodeLostAfterMs: duration(
    'SAUTI_NODE_LOST_SECONDS',
    10,
    'A node without a heartbeat for this long is considered lost. The other nodes fail its sessions, and they are not billed. Use the same value on all nodes.',
  ),
  databasePatienceMs: duration(
    'SAUTI_DATABASE_PATIENCE_SECONDS',
    45,
    'How long running streams continue while the database does not respond, so that they survive a failover. After that, the ' +
      'node ends them without billing.',
  ),
  reaperIntervalMs: duration(
    'SAUTI_REAPER_INTERVAL_SECONDS',
    1,
    'How often to look for expired reservations and lost nodes. The embedded database has no other nodes, so lost ones are looked for once per minute there.',
  ),
} as const satisfies SettingsTable
