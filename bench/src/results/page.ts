// bench/RESULTS.md, from the results as they are. Nothing on it is written by hand.

import { chartsOf } from '../plots/charts.ts'
import { besideTable } from './beside.ts'
import { ABOUT, TABLES } from './figures.ts'
import {
  type ArchitectureResults,
  RESULT_NAMES,
  type Recorded,
  type ResultFigures,
  type ResultName,
} from './shapes.ts'

/** Fewer cores than this are the system's own work. */
const QUIET_CORES = 0.15

export function resultsPage(all: readonly ArchitectureResults[]): string {
  return [
    '# Results',
    '',
    'Made by `npm run bench -- all` from the files in `bench/results`; not edited by hand, which a test checks. [README.md](README.md) says what each',
    'bench does. Figures are of one machine and one moment: compare what was measured in the same run. "Other work beside it" means that other',
    'programs took CPU time just before or just after; then only the ratios say something.',
    '',
    '## Ours beside others',
    '',
    ...besideTable(all),
    '',
    ...chartsOf(all).flatMap(({ name, title, description }) => [
      `![${title}. ${description}](../docs/plots/${name}.svg)`,
      '',
    ]),
    ...RESULT_NAMES.flatMap(name => sectionOf(all, name)),
  ].join('\n')
}

/** One architecture after the other. */
function sectionOf<Name extends ResultName>(all: readonly ArchitectureResults[], name: Name): string[] {
  const parts = all.flatMap(({ architecture, results }) => {
    const recorded = results[name] as Recorded<ResultFigures[Name]> | undefined
    if (recorded === undefined) return []
    return [`### ${architecture}`, '', ...circumstances(recorded), '', ...TABLES[name](recorded.figures), '']
  })
  if (parts.length === 0) return []
  const about = ABOUT[name]
  return [`## ${name}`, '', ...(about === undefined ? [] : [about, '']), ...parts]
}

export function circumstances({ command, date, commit, machine, others }: Recorded<unknown>): string[] {
  const { architecture, processor, cores, memoryGb, system, node } = machine
  return [
    `\`${command}\`, ${date.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${architecture} (${processor}), ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}. ${besideOthers(others)}`,
  ]
}

export function isQuiet({ before, after }: Recorded<unknown>['others']): boolean {
  return Math.max(before, after) < QUIET_CORES
}

function besideOthers({ before, after }: Recorded<unknown>['others']): string {
  if (isQuiet({ before, after })) return 'Nothing else ran.'
  return `**Other work beside it**: ${before} cores before, ${after} after.`
}
