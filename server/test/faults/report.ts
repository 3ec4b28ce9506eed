// The page about a run (`began` says which): how many histories, which faults struck how often, and what was found.

import { ALL_KINDS, type Fault } from './kinds.ts'
import type { LotResult } from './lot.ts'

export function writeReport(began: string, results: readonly LotResult[]): string {
  const histories = results.reduce((sum, { lot }) => sum + lot.histories.length, 0)
  const problems = results.flatMap(result => result.problems)
  const operations = results.flatMap(({ lot }) => lot.histories.map(history => history.length))
  const total = operations.reduce((sum, count) => sum + count, 0)
  return [
    `${histories} histories in ${results.length} lots, ${total} operations, ${problems.length} problems. [What this means](faults.md)`,
    '',
    began,
    '',
    '| kind | histories | operations | sessions acknowledged | not answered | faults that struck |',
    '|---|---|---|---|---|---|',
    ...ALL_KINDS.map(kind => describeKind(kind, results)).filter(row => row !== ''),
    ...describeLosses(results),
    '',
    ...problems.map(problem => `- ${problem}`),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

/** So that a reader knows where the service was allowed to fail although nothing of ours struck it. */
function describeLosses(results: readonly LotResult[]): string[] {
  const lost = results.filter(({ hasLostDatabase }) => hasLostDatabase).map(({ lot }) => lot.seed)
  if (lost.length === 0) return []
  return [
    '',
    `Lots in which a node gave up its streams because its database did not answer: ${lost.join(', ')}.`,
  ]
}

function describeKind(kind: string, results: readonly LotResult[]): string {
  const some = results.filter(({ lot }) => lot.kind === kind)
  if (some.length === 0) return ''
  const lots = some.map(({ lot }) => lot)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const attempts = some.flatMap(({ told }) => told.flatMap(one => one.attempts))
  const columns = [
    `\`${kind}\``,
    sum(lots.map(lot => lot.histories.length)),
    sum(lots.flatMap(lot => lot.histories.map(history => history.length))),
    attempts.filter(attempt => attempt.exists).length,
    attempts.filter(attempt => !attempt.exists && !attempt.isRefused).length,
    describeFaults(lots.flatMap(lot => lot.strikes.map(strike => strike.fault))),
  ]
  return `| ${columns.join(' | ')} |`
}

function describeFaults(faults: readonly Fault[]): string {
  const names = [...new Set(faults)].sort()
  return names.map(name => `${faults.filter(fault => fault === name).length} × ${name}`).join(', ')
}
