// npm run plots: RESULTS.md, the plots, and the sections of README.md and docs/latency.md, from the files in bench/results.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resultsPage } from '../results/page.ts'
import { ROOT, readResults } from '../results/record.ts'
import {
  LATENCY_HEADING,
  latencySection,
  README_HEADING,
  readmeSection,
  withSection,
} from '../results/sections.ts'
import { drawChart, NARROW } from './chart.ts'
import { chartsOf } from './charts.ts'

/** Every file that shows figures, as the results make it; paths from the root of the repository. */
export function makeFiles(): Map<string, string> {
  const results = readResults()
  const page = (path: string) => readFileSync(join(ROOT, path), 'utf8')
  return new Map([
    ['bench/RESULTS.md', resultsPage(results)],
    ['README.md', withSection(page('README.md'), README_HEADING, readmeSection(results))],
    ['docs/latency.md', withSection(page('docs/latency.md'), LATENCY_HEADING, latencySection(results))],
    ...chartsOf(results).flatMap(chart => [
      [`docs/plots/${chart.name}.svg`, drawChart(chart)] as const,
      [`docs/plots/${chart.name}.narrow.svg`, drawChart(chart, NARROW)] as const,
    ]),
  ])
}

export async function run(): Promise<void> {
  for (const [path, text] of makeFiles()) {
    const file = join(ROOT, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    console.log(`wrote ${path}`)
  }
}
