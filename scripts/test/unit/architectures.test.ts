// Figures of several architectures stand side by side, and a page is whole with one of them.

import { describe, expect, it } from 'vitest'
import { chartsOf } from '../../../bench/dist/plots/charts.js'
import { resultsPage } from '../../../bench/dist/results/page.js'
import { latencySection, readmeSection } from '../../../bench/dist/results/sections.js'
import type { ArchitectureResults, Results } from '../../../bench/dist/results/shapes.js'

type Architecture = ArchitectureResults['architecture']

const QUIET = { before: 0, after: 0 }
const BUSY = { before: 1.5, after: 1.5 }

function recorded<Figures>(architecture: Architecture, figures: Figures, others = QUIET) {
  const machine = { processor: 'A', architecture, cores: 2, memoryGb: 24, system: 'Linux', node: 'v20' }
  return {
    command: 'c',
    date: '2026-01-01T00:00:00.000Z',
    commit: `of-${architecture}`,
    machine,
    others,
    figures,
  }
}

function endToEnd(architecture: Architecture, oursMs: number, theirsMs: number, others = QUIET): Results {
  const row = (service: string, asked: number, core: number, p99Ms: number) => ({
    ...{
      asked,
      service,
      admitted: asked,
      core,
      engineCore: core,
      p50Ms: 10,
      p99Ms,
      finals: 60,
      memoryMb: 300,
    },
    others: 0,
  })
  const rows = [10, 20].flatMap(asked => [
    row('sauti', asked, (asked * oursMs) / 1000, 100),
    row('sherpa-onnx', asked, (asked * theirsMs) / 1000, 200),
  ])
  return { 'end-to-end': recorded(architecture, rows, others) }
}

function growth(architecture: Architecture): Results {
  const ledger = [1000, 10_000].map(sessions => ({
    ...{ database: 'postgres', sessions, creationMs: 5, usageMs: 4, startUpMs: 3000, verifyMs: 20 },
  }))
  const idle = [100, 1000].map(connections => ({ connections, cpuMsPerSecond: connections, memoryMb: 1 }))
  return { growth: recorded(architecture, { streams: [], idle, ledger }) }
}

const X86 = {
  architecture: 'x86-64',
  results: { ...endToEnd('x86-64', 20, 25), ...growth('x86-64') },
} as const
const ARM = { architecture: 'arm64', results: { ...endToEnd('arm64', 30, 60), ...growth('arm64') } } as const
const NOTHING = { architecture: 'arm64', results: {} } as const
const BUSY_ARM = {
  architecture: 'arm64',
  results: {
    ...endToEnd('arm64', 30, 60, BUSY),
    'start-up': recorded(
      'arm64',
      ['sauti', 'sherpa-onnx'].map(service => ({
        ...{ service, readyMs: 1, readyCpuMs: 1, memoryMb: 1, sessions: null, memoryAfterSessionsMb: null },
      })),
    ),
  },
} as const

describe('figures of two architectures', () => {
  it('are in one table of ratios, each where its peer is', () => {
    const page = resultsPage([X86, ARM])
    expect(page).toContain(
      '| What | Peer | x86-64: ours | theirs | ours / theirs | arm64: ours | theirs | ours / theirs |',
    )
    expect(page).toContain(
      '| CPU-ms per second and stream, 20 streams | sherpa-onnx behind `ws` | 20 | 25 | 0.8 | 30 | 60 | 0.5 |',
    )
  })

  it('have a dash where only one of them has the figure', () => {
    const [first] = ARM.results['end-to-end']!.figures
    const fewer = ARM.results['end-to-end']!.figures.filter(row => row.asked !== first!.asked)
    const arm = { ...ARM, results: { 'end-to-end': recorded('arm64', fewer) } }
    expect(resultsPage([X86, arm])).toContain(
      '| CPU-ms per second and stream, 10 streams | sherpa-onnx behind `ws` | 20 | 25 | 0.8 | - | - | - |',
    )
  })

  it('follow one another in the section of each bench, which is explained once', () => {
    const section = resultsPage([X86, ARM])
      .split('\n## ')
      .find(part => part.startsWith('end-to-end'))!
    expect(section.match(/^### .+$/gm)).toEqual(['### x86-64', '### arm64'])
    expect(section.match(/The whole service on one core/g)).toHaveLength(1)
  })

  it('share a chart where their lines are few, and have one each where they are many', () => {
    const charts = chartsOf([X86, ARM])
    expect(charts.map(({ name }) => name)).toEqual([
      'streams-latency',
      'cpu-per-stream',
      'growth-streams',
      'growth-idle',
      'growth-ledger-x86-64',
      'growth-ledger-arm64',
    ])
    expect(charts[0]!.series.map(({ name }) => name)).toEqual([
      'Sauti, x86-64',
      'sherpa-onnx behind a plain ws server, x86-64',
      'Sauti, arm64',
      'sherpa-onnx behind a plain ws server, arm64',
    ])
  })

  it('are named in the README with their commits', () => {
    const section = readmeSection([X86, ARM])
    expect(section).toContain('x86-64 with 2 cores, commit of-x86-64; arm64 with 2 cores, commit of-arm64.')
    expect(section).toContain('| CPU-ms per second and stream, 20 streams | 20 | 25 | 0.8 | 30 | 60 | 0.5 |')
  })
})

describe('figures of one architecture', () => {
  it('make the same pages whether the other has an empty folder or none', () => {
    expect(resultsPage([X86, NOTHING])).toBe(resultsPage([X86]))
    expect(readmeSection([X86, NOTHING])).toBe(readmeSection([X86]))
    expect(latencySection([X86, NOTHING])).toBe(latencySection([X86]))
    expect(resultsPage([X86])).toContain('| What | Peer | x86-64: ours | theirs | ours / theirs |\n')
  })

  it('are all that the README shows, without charts, where other programs ran beside the second', () => {
    const section = readmeSection([X86, BUSY_ARM])
    expect(section).toContain('| What | x86-64: ours | theirs | ours / theirs |\n')
    expect(section).not.toMatch(/commit of-arm64|!\[/)
  })

  it('are not shown in the README where other programs ran beside them', () => {
    expect(readmeSection([BUSY_ARM])).toContain('its figures are not shown here')
    expect(readmeSection([BUSY_ARM])).not.toContain('|')
  })
})
