// Every alert rule, evaluated by Prometheus's own code over half an hour of made-up metrics: which alerts fire at the end.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isMissing, pathOf } from '../../support/programs.ts'
import { DEPLOY, readYaml, type Tree } from './deploy-files.ts'

/** Series by their name and labels. A number stays as it is, `+N` grows by N each minute. */
type Metrics = Record<string, number | `+${number}`>

const MINUTES = 30
const ENDED = 'sauti_stream_sessions_ended_total'
const REQUESTS = 'sauti_http_request_duration_seconds_count'
const FINALS = 'sauti_stream_flush_to_final_seconds_bucket'

const TROUBLE: [string, Metrics][] = [
  ['SautiNodeDown', { 'up{job="sauti",instance="a"}': 0, 'up{job="sauti",instance="b"}': 1 }],
  ['SautiNoCapacity', { sauti_recogniser_capacity_streams: 0, sauti_recogniser_open_streams: 0 }],
  ['SautiNearlyFull', { sauti_recogniser_capacity_streams: 10, sauti_recogniser_open_streams: 9 }],
  ['SautiRefusesForCapacity', { 'sauti_session_requests_total{outcome="capacity_exceeded"}': '+1' }],
  [
    'SautiEndsSessionsByItsOwnFault',
    { [`${ENDED}{ending="node_died"}`]: '+2', [`${ENDED}{ending="completed"}`]: '+98' },
  ],
  ['SautiEngineLost', { 'sauti_recogniser_engines_lost_total{instance="a"}': '+1' }],
  [
    'SautiFinalsAreLate',
    { [`${FINALS}{le="1"}`]: '+98', [`${FINALS}{le="2"}`]: '+100', [`${FINALS}{le="+Inf"}`]: '+100' },
  ],
  ['SautiAudioWaits', { sauti_stream_queued_audio_seconds: 5, sauti_stream_open_connections: 2 }],
  ['SautiSettlementsWait', { 'sauti_stream_pending_settlements{instance="a"}': 1 }],
  [
    'SautiHttpErrors',
    {
      [`${REQUESTS}{status="500",route="/v1/models"}`]: '+3',
      [`${REQUESTS}{status="200",route="/v1/models"}`]: '+97',
    },
  ],
  ['SautiEventLoopLags', { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': 0.3 }],
]

/** A busy service in good health, close to where alerts begin. */
const HEALTH: Metrics = {
  'up{job="sauti",instance="a"}': 1,
  sauti_recogniser_capacity_streams: 10,
  sauti_recogniser_open_streams: 8,
  'sauti_session_requests_total{outcome="created"}': '+100',
  'sauti_session_requests_total{outcome="insufficient_credit"}': '+10',
  [`${ENDED}{ending="completed"}`]: '+995',
  [`${ENDED}{ending="node_died"}`]: '+5',
  'sauti_recogniser_engines_lost_total{instance="a"}': 7,
  [`${FINALS}{le="1"}`]: '+995',
  [`${FINALS}{le="+Inf"}`]: '+1000',
  sauti_stream_queued_audio_seconds: 10,
  sauti_stream_open_connections: 8,
  sauti_stream_pending_settlements: 0,
  [`${REQUESTS}{status="503",route="/readyz"}`]: '+100',
  [`${REQUESTS}{status="500",route="/v1/models"}`]: '+1',
  [`${REQUESTS}{status="200",route="/v1/models"}`]: '+99',
  'nodejs_eventloop_lag_p99_seconds{instance="a"}': 0.1,
}

/** What `promtool test rules` reads: these metrics must make exactly these alerts fire. */
function expectAlerts(metrics: Metrics, firing: readonly string[]): Tree {
  return {
    interval: '1m',
    input_series: Object.entries(metrics).map(([series, value]) => ({
      series,
      values: typeof value === 'number' ? `${value}x${MINUTES}` : `0${value}x${MINUTES}`,
    })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: `${MINUTES}m`,
        exp_samples: firing.map(name => ({ labels: `{alertname="${name}"}`, value: 1 })),
      },
    ],
  }
}

function runPromtool(test: Tree): string {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-alerts-test-'))
  const file = join(folder, 'test.yaml')
  writeFileSync(
    file,
    JSON.stringify({
      rule_files: [join(DEPLOY, 'monitoring/alerts.yaml')],
      evaluation_interval: '1m',
      tests: [test],
    }),
  )
  const { stdout, stderr } = spawnSync(pathOf('promtool'), ['test', 'rules', file], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  return stdout + stderr
}

describe.skipIf(isMissing('promtool'))('alerts', () => {
  it.each(TROUBLE)('%s fires, and no other', (alert, metrics) => {
    expect(runPromtool(expectAlerts(metrics, [alert]))).toContain('SUCCESS')
  })

  it('are silent about a service that is busy and well', () => {
    expect(runPromtool(expectAlerts(HEALTH, []))).toContain('SUCCESS')
  })

  it('are all tried', () => {
    const rules: Tree[] = readYaml('monitoring/alerts.yaml').groups[0].rules
    const named = rules.flatMap(({ alert }) => alert ?? [])
    expect(TROUBLE.map(([alert]) => alert).toSorted()).toEqual(named.toSorted())
  })
})
