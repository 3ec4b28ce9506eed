// What this machine runs beside a test: who listens, and what the test's own process has started.

import { once } from 'node:events'
import { connect } from 'node:net'

export async function isListening(port: number): Promise<boolean> {
  const probe = connect(port, '127.0.0.1')
  try {
    await once(probe, 'connect')
    return true
  } catch {
    return false
  } finally {
    probe.destroy()
  }
}

export function countChildren(): number {
  return process.getActiveResourcesInfo().filter(kind => kind === 'ProcessWrap').length
}
