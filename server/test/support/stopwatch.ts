// How long the steps of a path take. Printed for people, never checked: a busy machine is not an error.

import { arch } from 'node:os'

export interface Stopwatch {
  /** A step is over. */
  mark(step: string): void
  print(): void
}

export function startStopwatch(path: string): Stopwatch {
  const startedMs = performance.now()
  const lines: string[] = []
  const seconds = () => ((performance.now() - startedMs) / 1000).toFixed(1).padStart(6)
  return {
    mark: step => lines.push(`  ${seconds()} s  ${step}`),
    print: () => process.stdout.write(`\n${path} (${process.platform} ${arch()}):\n${lines.join('\n')}\n`),
  }
}
