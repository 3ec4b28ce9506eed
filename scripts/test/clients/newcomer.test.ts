// From a clone to the first transcript, as a stranger would do it with the two commands of the README, and how long each step takes. Needs a
// registry that npm can reach, and a repository to clone.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, it } from 'vitest'
import { startStopwatch } from '../../../server/test/support/stopwatch.ts'
import { ROOT } from '../../run.mjs'

const folder = mkdtempSync(join(tmpdir(), 'sauti-newcomer-'))
const clone = join(folder, 'sauti')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const canInstall = existsSync(join(ROOT, '.git')) && spawnSync('npm', ['ping'], { cwd: ROOT }).status === 0

/** What the quickstart says when a step begins, which is when the one before is over. */
const STEPS = [
  { said: /^Building/, over: 'packages are installed' },
  { said: /^Starting the service/, over: 'everything is built' },
  { said: /^Docs /, over: 'the service runs' },
  { said: /heard /, over: 'a transcript is there' },
]

it.skipIf(!canInstall)(
  'a clone transcribes a recording with one command',
  async () => {
    const watch = startStopwatch('From a clone to the first transcript')
    execFileSync('git', ['clone', '--quiet', ROOT, clone])
    watch.mark('the repository is cloned')
    const env = { ...process.env, SAUTI_PORT: '0', SAUTI_RECOGNISER_WORKERS: '1' }
    const child = spawn('npm', ['run', '--silent', 'quickstart', '--', '--once'], {
      cwd: clone,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const heard: string[] = []
    for await (const line of createInterface(child.stdout)) {
      const step = STEPS.find(({ said }) => said.test(line))
      if (step !== undefined) watch.mark(step.over)
      if (/heard /.test(line)) heard.push(line)
    }
    watch.print()
    expect(heard.length).toBe(2)
  },
  900_000,
)
