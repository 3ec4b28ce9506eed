// The image: built from deploy/Dockerfile and nothing else, started as an operator starts it, asked for both languages, and stopped.

import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { isMissing } from '../../../server/test/support/programs.ts'
import { ROOT } from '../../run.mjs'

const run = promisify(execFile)
const PATIENCE_MS = 1_800_000
/** The build says much; what it says last explains a failure. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const canBuild = !isMissing('buildah') && spawnSync('npm', ['ping'], { cwd: ROOT }).status === 0

it.skipIf(!canBuild)(
  'is built from the Dockerfile, transcribes with a read-only file system and without a network, is healthy, and stops when told',
  async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'scripts/image.mjs')], {
      maxBuffer: MAX_OUTPUT_BYTES,
    })
    expect(stdout.match(/^ +heard +\S+/gm)).toHaveLength(2)
    expect(stdout).toMatch(/^the image works: \d+ MB/m)
  },
  PATIENCE_MS,
)
