// How much memory is really held, after what nobody needs has been collected.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose_gc')
const collectGarbage: () => void = runInNewContext('gc')

/** JavaScript objects and the buffers outside of them. */
export function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
