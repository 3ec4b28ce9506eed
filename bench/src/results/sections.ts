// The parts of README.md and docs/latency.md that show figures: one section each, made from the results like RESULTS.md.

import { latencyTable, loadFacts } from '../load/report.ts'
import { chartsOf } from '../plots/charts.ts'
import { circumstances, isQuiet } from './page.ts'
import { ratiosOf } from './ratios.ts'
import type { Results } from './shapes.ts'
import { tableOf } from './table.ts'

export const README_HEADING = '## How fast it is'
export const LATENCY_HEADING = '## Measured here'

const README_END = [
  '`npm run bench -- all` measures it again, with everything in [bench/RESULTS.md](bench/RESULTS.md). `npm run load -- --streams N --minutes M` puts load on',
  'any deployment. What the latencies mean beside those that others publish: [docs/latency.md](docs/latency.md).',
  '',
  '',
]

/** The README shows the comparison of whole services and the two charts that go with it, and no figure of a machine that had other work. */
export function readmeSection(results: Results): string {
  const endToEnd = results['end-to-end']
  if (endToEnd === undefined || !isQuiet(endToEnd.others)) {
    const why = 'Other programs ran beside the last measurement, so its figures are not shown here.'
    return [README_HEADING, '', why, ...README_END].join('\n')
  }
  const { architecture, cores } = endToEnd.machine
  const wholes = ratiosOf(results).filter(({ peer }) => peer === 'sherpa-onnx behind `ws`')
  return [
    README_HEADING,
    '',
    `The whole service beside a plain \`ws\` server with sherpa-onnx and the same model, ${architecture} with ${cores} cores, commit ${endToEnd.commit}.`,
    '',
    ...tableOf(
      ['What', 'Ours', 'Theirs', 'Ours / theirs'],
      wholes.map(one => [one.what, one.ours, one.theirs, one.ratio]),
    ),
    '',
    ...images(results, 'docs/plots/', ['streams-latency', 'cpu-per-stream']),
    ...README_END,
  ].join('\n')
}

export function latencySection(results: Results): string {
  const recorded = results.soak ?? results.load
  if (recorded === undefined) return `${LATENCY_HEADING}\n\nNothing is recorded yet.\n`
  return [
    LATENCY_HEADING,
    '',
    ...circumstances(recorded),
    '',
    ...loadFacts(recorded.figures).map(fact => `- ${fact}`),
    '',
    ...latencyTable(recorded.figures.latency),
    '',
    ...images(results, 'plots/'),
  ].join('\n')
}

function images(results: Results, folder: string, names?: readonly string[]): string[] {
  return chartsOf(results)
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
