// How streams end when the process must end: they continue up to a deadline, then get their last final and the reason.

import { DRAIN_FLUSH_MS } from './settings.ts'
import { endsWithin } from './time-limit.ts'

interface Endable {
  end(reason: 'server_restarting'): void
  endAtOnce(): void
}

/** Resolves when no connection runs any more; `allEnded` resolves when the last one has ended. */
export async function drain(
  connections: ReadonlySet<Endable>,
  allEnded: () => Promise<void>,
  deadlineMs: number,
): Promise<void> {
  if (await endsWithin(allEnded(), deadlineMs)) return
  for (const connection of connections) connection.end('server_restarting')
  if (await endsWithin(allEnded(), DRAIN_FLUSH_MS)) return
  for (const connection of connections) connection.endAtOnce()
  await allEnded()
}
