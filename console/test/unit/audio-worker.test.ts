// The playground's worker as browsers get it: built for old ones, too, where private fields become look-ups.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createResampler, floatToPcm16 } from '@sauti/client'
import { expect, it } from 'vitest'
import type { Job, Report } from '../../src/playground/audio-worker.ts'

const ASSETS = fileURLToPath(new URL('../../dist/assets', import.meta.url))
const RATE_HZ = 48_000
const sound = new Float32Array(2 * RATE_HZ).map((_, n) => Math.sin(n / 7) / 2)

/** Its code with a `self` of its own. */
function startWorker(): (job: Job) => Int16Array {
  const file = readdirSync(ASSETS).find(name => name.startsWith('audio-worker'))!
  let pcm = new Int16Array()
  const postMessage = (report: Report) => {
    if (report.type === 'done') pcm = report.pcm
  }
  const self: { onmessage?: (event: { data: Job }) => void; postMessage: typeof postMessage } = {
    postMessage,
  }
  new Function('self', readFileSync(`${ASSETS}/${file}`, 'utf8'))(self)
  return job => {
    self.onmessage?.({ data: job })
    return pcm
  }
}

function resample(): Int16Array {
  const resampler = createResampler(RATE_HZ)
  const parts = [resampler.push(sound), resampler.flush()].map(floatToPcm16)
  return Int16Array.from(parts.flatMap(part => [...part]))
}

/** Of processor time, the least of several runs: other programs only add to it. */
function leastCost(work: () => unknown): number {
  const costs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    work()
    return process.cpuUsage(before).user
  })
  return Math.min(...costs)
}

it('gives the samples of the client library, at a similar cost', () => {
  const convert = startWorker()
  const job = { channels: [sound], sampleRateHz: RATE_HZ }
  expect(convert(job)).toEqual(resample())
  // One look-up per tap of the filter made it eight times as much.
  expect(leastCost(() => convert(job)) / leastCost(resample)).toBeLessThan(4)
})
