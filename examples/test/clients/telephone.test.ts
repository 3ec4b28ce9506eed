import { once } from 'node:events'
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

interface Bridge {
  readonly address: string
  /** What it prints, line by line. */
  readonly said: AsyncIterator<string>
  stop(): void
}

async function startBridge(): Promise<Bridge> {
  // The stream of a call that was hung up counts until it has ended.
  const { key } = await bench.customer({ concurrency: 4 })
  const child = startExample('telephone/bridge.mjs', [CLIP.model], bench, key)
  return {
    address: await firstLine(child.stderr),
    said: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    stop: () => void child.kill(),
  }
}

async function openCall({ address }: Bridge): Promise<WebSocket> {
  const call = new WebSocket(`${address.replace('http:', 'ws:')}/media`)
  await once(call, 'open')
  return call
}

function speak(call: WebSocket, sound: Buffer): void {
  call.send(JSON.stringify({ event: 'start', start: { streamSid: 'MZ1' } }))
  for (let at = 0; at < sound.length; at += FRAME_BYTES) {
    const payload = sound.subarray(at, at + FRAME_BYTES).toString('base64')
    call.send(JSON.stringify({ event: 'media', streamSid: 'MZ1', media: { track: 'inbound', payload } }))
  }
}

test('the telephone example prints what was said in a call, and finds the ends of utterances itself', async () => {
  const bridge = await startBridge()
  const answer = await fetch(bridge.address, { method: 'POST' })
  expect(await answer.text()).toContain('<Stream url="wss://')
  const call = await openCall(bridge)
  speak(call, Buffer.concat([toMulaw(CLIP.pcm), Buffer.alloc(16_000, MULAW_SILENCE)]))
  const { value } = await bridge.said.next()
  expect(value.split(' ').length).toBeGreaterThan(2)
  call.close()
  bridge.stop()
})

test('it survives what is no call, and prints the last words of one who hangs up at once', async () => {
  const bridge = await startBridge()
  const intruder = await openCall(bridge)
  intruder.send('no JSON at all')
  intruder.send('{"event":"media"}')
  intruder.close()
  await once(intruder, 'close')
  const call = await openCall(bridge)
  speak(call, toMulaw(CLIP.pcm))
  call.send(JSON.stringify({ event: 'stop', streamSid: 'MZ1' }))
  call.close()
  const { value } = await bridge.said.next()
  expect(value.split(' ').length).toBeGreaterThan(2)
  bridge.stop()
})

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  return ''
}
