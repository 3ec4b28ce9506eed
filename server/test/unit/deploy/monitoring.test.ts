import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ERRORS } from '@sauti/protocol/errors'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { countSessionOutcomes, observeRequests } from '#server/http/monitoring/metrics.js'
import { ENDINGS } from '#server/sessions/lifecycle.js'
import { createRecogniserMetrics } from '#server/startup/recogniser-metrics.js'
import { createStreamMetrics } from '#server/stream/metrics.js'
import { isMissing, pathOf } from '../../support/programs.ts'
import { DEPLOY, readText, readYaml, type Tree } from './deploy-files.ts'

/** Labels that Prometheus and Kubernetes add. */
const FOREIGN_LABELS = ['job', 'instance', 'le', 'namespace', 'pod']
const exported = collectExported()

const alerts: Tree[] = readYaml('monitoring/alerts.yaml').groups[0].rules
const dashboard = JSON.parse(readText('monitoring/dashboard.json'))
const queries: [string, string][] = [
  ...alerts.map(({ alert, record, expr }): [string, string] => [alert ?? record, expr]),
  ...dashboard.panels.flatMap(({ title, targets }: Tree) => targets.map(({ expr }: Tree) => [title, expr])),
  ['the adapter', readYaml('monitoring/adapter-rules.yaml').rules.custom[0].metricsQuery],
]

/** What the service registers, by the names that Prometheus reads, with their labels. */
function collectExported(): ReadonlyMap<string, readonly string[]> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  createStreamMetrics(registry, () => ({ openConnections: 0, queuedSamples: 0, pendingSettlements: 0 }))
  createRecogniserMetrics(registry)
  countSessionOutcomes(registry)
  observeRequests({ addHook: () => undefined } as never, { metrics: registry } as never)
  return new Map(registry.getMetricsAsArray().flatMap(describeMetric))
}

function describeMetric(metric: Tree): [string, string[]][] {
  const isHistogram = metric.constructor.name === 'Histogram'
  const names = isHistogram ? ['_bucket', '_sum', '_count'].map(end => metric.name + end) : [metric.name]
  return names.map(name => [name, metric.labelNames])
}

function findMetrics(query: string): string[] {
  return [...query.matchAll(/(?<![\w:"])(?:sauti|process|nodejs)_\w+/g)].map(([name]) => name)
}

function findLabels(query: string): string[] {
  const grouped = [...query.matchAll(/\bby \(([\w, ]+)\)/g)].flatMap(([, names]) => names!.split(', '))
  const matched = [...query.matchAll(/[{,](\w+)(?:=|!=|=~|!~)"/g)].map(([, name]) => name!)
  return [...grouped, ...matched]
}

describe.each(queries)('%s', (_, query) => {
  it('asks for what the service exports', () => {
    const metrics = findMetrics(query)
    expect(metrics.filter(name => !exported.has(name))).toEqual([])
    if (metrics.length === 0) expect(query).toMatch(/\bup\{|sauti:stream_load:ratio/)
    const labels = [...FOREIGN_LABELS, ...metrics.flatMap(name => exported.get(name) ?? [])]
    expect(findLabels(query).filter(label => !labels.includes(label))).toEqual([])
  })

  it('closes what it opens', () => {
    for (const [open, close] of ['()', '{}', '[]']) {
      expect(query.split(open!).length).toBe(query.split(close!).length)
    }
  })
})

it('shows every metric of the service somewhere', () => {
  const shown = new Set(queries.flatMap(([, query]) => findMetrics(query)).map(withoutEnding))
  const ours = [...exported.keys()].filter(name => name.startsWith('sauti_')).map(withoutEnding)
  // Open streams are shown as the recogniser counts them; the sockets serve an alert.
  expect([...new Set(ours)].filter(name => !shown.has(name))).toEqual([])
})

function withoutEnding(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, '')
}

it('alerts on endings and refusals that exist', () => {
  const values = (label: string) =>
    queries.flatMap(([, query]) =>
      [...query.matchAll(new RegExp(`\\b${label}=~?"([^"]+)"`, 'g'))].flatMap(([, v]) => v!.split('|')),
    )
  expect(values('ending').filter(ending => !(ending in ENDINGS))).toEqual([])
  expect(values('outcome').filter(code => !(code in ERRORS))).toEqual([])
})

it('gives every alert a severity and a summary', () => {
  for (const { alert, labels, annotations } of alerts.filter(rule => 'alert' in rule)) {
    expect(alert).toMatch(/^Sauti[A-Z]/)
    expect(['warning', 'critical']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/\.$/)
  }
})

it('scrapes both nodes of compose where they serve metrics', () => {
  const { services } = readYaml('compose/compose.yaml')
  const [{ job_name, static_configs }] = readYaml('compose/prometheus.yaml').scrape_configs
  const nodes = Object.keys(services).filter(name => name.startsWith('node-'))
  const port = services['node-1'].environment.SAUTI_METRICS_PORT
  expect(static_configs[0].targets).toEqual(nodes.map(name => `${name}:${port}`))
  expect(dashboard.templating.list.find(({ name }: Tree) => name === 'job').query).toBe(job_name)
})

it.skipIf(isMissing('promtool')).each([
  ['rules', 'monitoring/alerts.yaml'],
  ['config', '--syntax-only', 'compose/prometheus.yaml'],
])("passes Prometheus's own check of %s", (...args) => {
  const file = join(DEPLOY, args.pop()!)
  const { status, stdout, stderr } = spawnSync(pathOf('promtool'), ['check', ...args, file], {
    encoding: 'utf8',
  })
  expect([status, stdout, stderr]).toEqual([0, expect.stringContaining('SUCCESS'), ''])
})
