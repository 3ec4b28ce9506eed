// An example as its reader would run it: node, a file, and settings in the environment.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bench } from '../../../sdk/test/support/bench.ts'

export function startExample(
  file: string,
  args: readonly string[],
  bench: Bench,
  apiKey: string,
): ChildProcessWithoutNullStreams {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url))
  return spawn(process.execPath, [path, ...args], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      SAUTI_URL: bench.baseUrl,
      SAUTI_API_KEY: apiKey,
      NODE_EXTRA_CA_CERTS: join(bench.service.dataDir, 'tls', 'ca.pem'),
    },
  })
}
