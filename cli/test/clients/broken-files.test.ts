// Files that are broken, cut off, wrongly labelled or hostile: each gets a clear answer, none is charged wrongly, and nothing is left behind.
// `npm run broken-files` sends 1,000 of them; the check has time for fewer.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, startBench } from '../../../sdk/test/support/bench.ts'
import { isMissing, pathOf } from '../../../server/test/support/programs.ts'
import { readSamples } from '../../../server/test/support/recogniser/samples.ts'
import { encodeForm } from '../../../server/test/support/service/forms.ts'
import { ask } from '../../../server/test/support/service/https.ts'
import { makeFolder } from '../support/run-sauti.ts'

const COUNT = Number(process.env.SAUTI_BROKEN_FILES ?? 60)
const MODEL = 'svc-asr-kikuyu-v1'
const REFUSALS = ['unsupported_audio', 'undecodable_audio', 'insufficient_credits']

let bench: Bench
const { path, remove } = makeFolder()
const originals: Buffer[] = []
beforeAll(async () => {
  bench = await startBench({ SAUTI_SESSION_CREATIONS_PER_MINUTE: '100000', SAUTI_FILES_AT_ONCE: '8' })
  const wav = readSamples('ki')[0]!.path
  originals.push(readFileSync(wav))
  // Without it, only WAVE files are broken.
  if (isMissing('ffmpeg')) return
  for (const [name, ...options] of [
    ['a.mp3'],
    ['a.m4a'],
    ['b.m4a', '-movflags', '+faststart'],
    ['a.flac'],
    ['a.ogg', '-c:a', 'libvorbis'],
    ['a.opus'],
    ['a.webm', '-c:a', 'libopus'],
    ['a.aac'],
  ] as const) {
    execFileSync(pathOf('ffmpeg'), ['-v', 'error', '-y', '-i', wav, ...options, path(name)])
    originals.push(readFileSync(path(name)))
  }
})
afterAll(async () => {
  await bench.stop()
  remove()
})

let seed = 20_261_115
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

/** The file with one thing wrong with it, of every kind in turn. */
function damage(file: Buffer, kind: number): Buffer {
  const at = Math.floor(random() * file.length)
  const broken = Buffer.from(file)
  switch (kind % 6) {
    case 0:
      return broken.subarray(0, at)
    case 1: {
      for (let n = 0; n < 40; n++) broken[Math.floor(random() * broken.length)] = random() * 256
      return broken
    }
    case 2: {
      // Headers that lie about lengths and rates.
      for (let n = 0; n < 8; n++) broken[Math.floor(random() * Math.min(200, broken.length))] = 0xff
      return broken
    }
    case 3:
      return Buffer.concat([broken.subarray(at), broken.subarray(0, at)])
    case 4:
      return Buffer.concat([broken.subarray(0, 64), Buffer.alloc(at, random() * 256), broken.subarray(64)])
    default:
      return Buffer.from(Array.from({ length: 1 + (at % 5_000) }, () => random() * 256))
  }
}

/** Asks again where the service says that it is worth it: on a starved machine an engine or the database may be away for a moment. */
async function send(key: string, file: Buffer) {
  for (;;) {
    const answer = await sendOnce(key, file)
    if (answer.status !== 503 || answer.retrySeconds === undefined) return answer
    await delay(answer.retrySeconds * 1000)
  }
}

async function sendOnce(key: string, file: Buffer) {
  const { body, contentType } = await encodeForm({ model: MODEL, file })
  const answer = await ask(`${bench.service.baseUrl}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': contentType },
    body,
    ca: bench.service.ca,
    agent: bench.service.agent,
  })
  const retryAfter = answer.headers['retry-after']
  return {
    status: answer.status,
    json: JSON.parse(answer.body),
    retrySeconds: retryAfter === undefined ? undefined : Number(retryAfter),
  }
}

/** Processes that this one has started and that still run: engines and decoders. */
function countChildren(): number {
  const tasks = readdirSync(`/proc/${process.pid}/task`)
  const children = tasks.flatMap(task =>
    readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
  return children.length
}

test(
  `${COUNT} broken files: an answer for each, the right charge, no process left`,
  async () => {
    const { key } = await bench.customer({ concurrency: 4, creditMs: 86_400_000 })
    expect((await send(key, originals[0]!)).status).toBe(200)
    const usage = () => bench.directClient(key).usage()
    const before = { consumed: (await usage()).consumed_ms, children: countChildren() }
    let [next, charged, heard] = [0, 0, 0]
    const worker = async () => {
      for (let n = next++; n < COUNT; n = next++) {
        const { status, json } = await send(
          key,
          damage(originals[n % originals.length]!, Math.floor(n / originals.length)),
        )
        if (status === 200) {
          charged += json.usage.seconds * 1000
          heard += 1
        } else {
          expect({ n, status, code: json.error.code }).toMatchObject({
            n,
            code: expect.stringMatching(REFUSALS.join('|')),
          })
        }
      }
    }
    await Promise.all([worker(), worker()])
    const after = await usage()
    expect({ charged: after.consumed_ms - before.consumed, reserved: after.reserved_ms }).toEqual({
      charged,
      reserved: 0,
    })
    expect(heard).toBeGreaterThan(0)
    expect(heard).toBeLessThan(COUNT)
    expect(countChildren()).toBeLessThanOrEqual(before.children)
    expect(bench.service.log()).not.toContain('the engine ended with')
  },
  120_000 + COUNT * 20_000,
)

test('a client that leaves in the middle of its upload leaves nothing behind', async () => {
  const { key } = await bench.customer()
  const { body, contentType } = await encodeForm({ model: MODEL, file: originals[0]! })
  const before = countChildren()
  await new Promise<void>(resolve => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': contentType,
      'content-length': body.length,
    }
    const options = { method: 'POST', headers, ca: bench.service.ca }
    const outgoing = request(`${bench.service.baseUrl}/v1/audio/transcriptions`, options)
    outgoing.on('error', () => resolve())
    outgoing.write(body.subarray(0, body.length / 2))
    setTimeout(() => outgoing.destroy(new Error('gone')), 700)
  })
  await expect.poll(async () => (await bench.directClient(key).usage()).reserved_ms).toBe(0)
  await expect.poll(countChildren).toBeLessThanOrEqual(before)
  // The slot is free again.
  expect((await send(key, originals[0]!)).status).toBe(200)
})

test('a body that is not a form, or too many files at once, is refused', async () => {
  const { key } = await bench.customer()
  const post = (contentType: string, body: string) =>
    ask(`${bench.service.baseUrl}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': contentType },
      body,
      ca: bench.service.ca,
      agent: bench.service.agent,
    })
  expect((await post('application/json', '{}')).status).toBe(415)
  expect((await post('multipart/form-data', 'no boundary')).status).toBe(400)
  expect((await post('multipart/form-data; boundary=x', 'nothing of the kind')).status).toBe(400)
  expect((await post('multipart/form-data; boundary=x', '--x--\r\n')).status).toBe(400)
})
