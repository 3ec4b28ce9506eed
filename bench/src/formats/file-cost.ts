// CPU time of the process that decodes one file, from its start to its end, as the shell reports it.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(import.meta.resolve('@sauti/server/files/decoder-worker.js'))

export function decodingMs(file: string): number {
  const { stdout } = spawnSync(
    'sh',
    ['-c', '"$0" "$1" < "$2" > /dev/null; times', process.execPath, WORKER, file],
    {
      encoding: 'utf8',
    },
  )
  // The second line is of the shell's children: user and system time, as 0m0.25s.
  const times = stdout.trim().split('\n').at(-1)!
  return [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000,
    0,
  )
}
