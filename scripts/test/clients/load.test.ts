// `npm run load` as a person runs it, for a few seconds: against a service of its own, with streams and a file.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ROOT } from '../../run.mjs'

const run = promisify(execFile)
const load = (...args: readonly string[]) =>
  run(process.execPath, [join(ROOT, 'bench/dist/main.js'), 'load', ...args])

it('puts load on a service and reports words, errors, latencies, CPU time and memory', async () => {
  const { stdout } = await load('--streams=2', '--files=1', '--minutes=0.05')
  for (const told of [
    /^2 streams in real time and 1 sender of files for 0.05 min: \d+ sessions, \d+ utterances$/m,
    /^Words: /m,
    /^Same text as when the service had nothing else to do: (\d+) of \1 utterances$/m,
    /^Errors: /m,
    /^\| Time to final segment \(Pipecat\) \|/m,
    /^\| Word emission latency \(Picovoice\) \|/m,
  ])
    expect(stdout).toMatch(told)
}, 300_000)

it('needs a key for a service that it did not start', async () => {
  await expect(load('--url=https://127.0.0.1:1')).rejects.toThrow('--url needs --key')
})
