// The line in a report that says what was run, when, on which commit and on what kind of machine.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { ROOT } from './run.mjs'

const ARCHITECTURES = { x64: 'x86-64' }

/** `command` as one would type it. */
export function describeRun(command) {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  const today = new Date().toISOString().slice(0, 10)
  // Reports themselves are being written.
  const changes = git('status', '--porcelain', '--', '.', ':!docs/proof') === '' ? '' : ' with changes'
  const machine = `${ARCHITECTURES[process.arch] ?? process.arch}, ${cpus().length} cores, Node ${process.versions.node}`
  return `\`${command}\`, ${today}, commit ${git('rev-parse', '--short', 'HEAD')}${changes}, ${machine}.`
}

/** Puts that line below the first one of a page. */
export function signPage(file, command) {
  const [head, ...rest] = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, [head, '', describeRun(command), ...rest].join('\n'))
}
