// The parts of README.md and docs/latency.md that show figures: one section each, made from the results like RESULTS.md.

import type { LoadFigures } from '../load/figures.ts'
import { latencyTable, loadFacts } from '../load/report.ts'
import { chartsOf } from '../plots/charts.ts'
import { besideTable } from './beside.ts'
import { circumstances, isQuiet } from './page.ts'
import { SHERPA_SERVER } from './ratios.ts'
import type { ArchitectureResults, Recorded } from './shapes.ts'

export const README_HEADING = '## How fast it is'
export const LATENCY_HEADING = '## Measured here'

const README_END = [
  '`npm run bench -- all` measures it again, with everything in [bench/RESULTS.md](bench/RESULTS.md). `npm run load -- --streams N --minutes M` puts load on',
  'any deployment. What the latencies mean beside those that others publish: [docs/latency.md](docs/latency.md).',
  '',
  '',
]

/** The README shows the comparison of whole services and the two charts that go with it, and no figure of a machine that had other work. */
export function readmeSection(all: readonly ArchitectureResults[]): string {
  const shown = all.map(quietOf).filter(({ results }) => results['end-to-end'])
  if (shown.length === 0) {
    const why = 'Other programs ran beside the last measurement, so its figures are not shown here.'
    return [README_HEADING, '', why, ...README_END].join('\n')
  }
  const measured = shown.map(
    ({ architecture, results: { 'end-to-end': one } }) =>
      `${architecture} with ${one!.machine.cores} cores, commit ${one!.commit}`,
  )
  const isAnyBusy = all.some(({ results: { 'end-to-end': one } }) => one && !isQuiet(one.others))
  return [
    README_HEADING,
    '',
    `The whole service beside a plain \`ws\` server with sherpa-onnx and the same model: ${measured.join('; ')}.`,
    '',
    ...besideTable(shown, SHERPA_SERVER),
    '',
    ...(isAnyBusy ? [] : images(all, 'docs/plots/', ['streams-latency', 'cpu-per-stream'])),
    ...README_END,
  ].join('\n')
}

function quietOf({ architecture, results }: ArchitectureResults): ArchitectureResults {
  const quiet = Object.entries(results).filter(([, { others }]) => isQuiet(others))
  return { architecture, results: Object.fromEntries(quiet) }
}

export function latencySection(all: readonly ArchitectureResults[]): string {
  const parts = all.flatMap(({ architecture, results }) => {
    const recorded = results.soak ?? results.load
    return recorded === undefined ? [] : [`### ${architecture}`, '', ...latencyPart(recorded), '']
  })
  if (parts.length === 0) return `${LATENCY_HEADING}\n\nNothing is recorded yet.\n`
  return [LATENCY_HEADING, '', ...parts, '### Plots', '', ...images(all, 'plots/')].join('\n')
}

function latencyPart(recorded: Recorded<LoadFigures>): string[] {
  return [
    ...circumstances(recorded),
    '',
    ...loadFacts(recorded.figures).map(fact => `- ${fact}`),
    '',
    ...latencyTable(recorded.figures.latency),
  ]
}

function images(all: readonly ArchitectureResults[], folder: string, names?: readonly string[]): string[] {
  return chartsOf(all)
    .filter(({ name }) => names === undefined || names.includes(name))
    .flatMap(({ name, title, description }) => [`![${title}. ${description}](${folder}${name}.svg)`, ''])
}

/** The page with its section replaced: from its heading to the next one. */
export function withSection(page: string, heading: string, section: string): string {
  const start = page.indexOf(`${heading}\n`)
  if (start === -1) throw new Error(`no section "${heading}"`)
  const next = page.indexOf('\n## ', start + heading.length)
  return page.slice(0, start) + section + (next === -1 ? '' : page.slice(next + 1))
}
