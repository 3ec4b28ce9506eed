// Unix sockets live in the data folder, but the kernel takes only about 100 bytes of path. On Linux a longer folder is reached
// through an open descriptor; elsewhere a shorter folder is asked for.

import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

// sockaddr_un holds 108 bytes on Linux and 104 on macOS and the BSDs, the last of them zero.
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103
const LONGEST_NAME = 40

export interface SocketFolder {
  /** The same folder, under a name that is short enough for sockets in it. */
  readonly path: string
  close(): void
}

export function openSocketFolder(folder: string): SocketFolder {
  const longest = Buffer.byteLength(join(folder, 'x'.repeat(LONGEST_NAME)))
  if (longest <= MAX_SOCKET_PATH_BYTES) return { path: folder, close: () => undefined }
  if (process.platform !== 'linux') {
    throw new Error(
      `the path of the data folder ${folder} is too long for sockets in it: ` +
        `it may have at most ${MAX_SOCKET_PATH_BYTES - LONGEST_NAME - 1} bytes`,
    )
  }
  const descriptor = openSync(folder, 'r')
  return { path: `/proc/self/fd/${descriptor}`, close: () => closeSync(descriptor) }
}
