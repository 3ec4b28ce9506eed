import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Bench, startBench } from '../../../sdk/test/support/bench.ts'
import { CLIP, REAL_MODELS } from '../../../sdk/test/support/clip.ts'
import { startExample } from '../support/run-example.ts'

const FRAME_BYTES = 160
const MULAW_SILENCE = 0xff

let bench: Bench
beforeAll(async () => {
  bench = await startBench(REAL_MODELS)
})
afterAll(() => bench.stop())

/** As a telephone network codes it: every second sample in eight bits. */
function toMulaw(pcm: Int16Array): Buffer {
  return Buffer.from(pcm.filter((_, at) => at % 2 === 0).map(encodeMulaw))
}

function encodeMulaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample), 32_635) + 132
  const exponent = Math.max(0, Math.floor(Math.log2(magnitude)) - 7)
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff
}

test('the telephone example prints what was said in a call, and finds the ends of utterances itself', async () => {
  const { key } = await bench.customer()
  const child = startExample('telephone/bridge.mjs', [CLIP.model], bench, key)
  const [address] = await firstLine(child.stderr)
  const answer = await fetch(address!, { method: 'POST' })
  expect(await answer.text()).toContain('<Stream url="wss://')
  const said = firstLine(child.stdout)

  const call = new WebSocket(`${address!.replace('http:', 'ws:')}/media`)
  await new Promise(resolve => call.once('open', resolve))
  call.send(JSON.stringify({ event: 'start', start: { streamSid: 'MZ1' } }))
  const sound = Buffer.concat([toMulaw(CLIP.pcm), Buffer.alloc(16_000, MULAW_SILENCE)])
  for (let at = 0; at < sound.length; at += FRAME_BYTES) {
    const payload = sound.subarray(at, at + FRAME_BYTES).toString('base64')
    call.send(JSON.stringify({ event: 'media', streamSid: 'MZ1', media: { track: 'inbound', payload } }))
  }
  const [text] = await said
  expect(text!.split(' ').length).toBeGreaterThan(2)
  call.close()
  child.kill()
})

async function firstLine(stream: NodeJS.ReadableStream): Promise<string[]> {
  for await (const line of createInterface({ input: stream })) return [line]
  return []
}
