// Figures of the recogniser for Prometheus; the recogniser itself knows only the hooks.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { RecogniserHooks } from '../recogniser/open-recogniser.ts'

const STEP_SECONDS = [0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28]

export function createRecogniserMetrics(registry: Registry): RecogniserHooks['metrics'] {
  const registers = [registry]
  const capacity = new Gauge({
    name: 'sauti_recogniser_capacity_streams',
    help: 'Streams that can run in real time at once, as measured.',
    registers,
  })
  const open = new Gauge({ name: 'sauti_recogniser_open_streams', help: 'Streams that are open.', registers })
  const step = new Histogram({
    name: 'sauti_recogniser_step_seconds',
    help: 'Time of an engine for one chunk of audio.',
    buckets: STEP_SECONDS,
    registers,
  })
  const lost = new Counter({
    name: 'sauti_recogniser_engines_lost_total',
    help: 'Engines that died or hung and were replaced.',
    registers,
  })
  return {
    capacity(streams, openStreams) {
      capacity.set(streams)
      open.set(openStreams)
    },
    step: stepMs => step.observe(stepMs / 1000),
    engineLost: () => lost.inc(),
  }
}
