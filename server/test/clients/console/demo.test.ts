import { get } from 'node:https'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../support/service/service.ts'

const MODELS = fileURLToPath(new URL('../../../../models', import.meta.url))
let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { SAUTI_MODELS_DIR: MODELS, SAUTI_DEMO_STREAMS: '1' } })
})
afterAll(() => service.stop())

interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly ms: number
}

function read(path: string): Promise<Answer> {
  const startedMs = performance.now()
  return new Promise((resolve, reject) => {
    get(service.baseUrl + path, { agent: service.agent }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', part => {
        text += part
      })
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          type: response.headers['content-type'] ?? '',
          text,
          ms: performance.now() - startedMs,
        }),
      )
    }).on('error', reject)
  })
}

const transcript = (id: string) => read(`/console/api/demo/clips/${id}/transcript`)

describe('the demonstration of the front page', () => {
  it('plays a bundled clip to anybody and shows what the real engine recognises, at the pace of speech', async () => {
    const { data } = JSON.parse((await read('/console/api/demo/clips')).text)
    expect(data.length).toBeGreaterThan(0)
    const clip = data[0]
    const audio = await read(clip.audio_url)
    expect(audio).toMatchObject({ status: 200, type: 'audio/wav' })
    const heard = await read(clip.transcript_url)
    expect(heard).toMatchObject({ status: 200, type: 'text/event-stream' })
    expect(heard.ms).toBeGreaterThan(clip.duration_ms * 0.9)
    expect(heard.text).toContain('event: delta')
    const final = JSON.parse(heard.text.split('event: final\ndata: ')[1]!)
    const said = clip.words.split(' ')
    const right = said.filter((word: string) => final.text.split(' ').includes(word))
    expect(right.length / said.length).toBeGreaterThanOrEqual(0.8)
  })

  it('serves a limited number at once and refuses the next; then its slot is free again', async () => {
    const [first, second] = await Promise.all([
      transcript('kikuyu-1'),
      later(300, () => transcript('kikuyu-1')),
    ])
    expect(first.status).toBe(200)
    expect(second.status).toBe(503)
    expect(JSON.parse(second.text).error.code).toBe('capacity_exceeded')
    expect((await transcript('kikuyu-1')).status).toBe(200)
  })

  it('frees its slot when a visitor leaves in the middle', async () => {
    const request = get(`${service.baseUrl}/console/api/demo/clips/kikuyu-1/transcript`, {
      agent: service.agent,
    })
    request.on('error', () => undefined)
    await later(1000, async () => request.destroy())
    await expect
      .poll(async () => (await transcript('kikuyu-1')).status, { timeout: 20_000, interval: 500 })
      .toBe(200)
  })

  it('knows only its own clips', async () => {
    expect((await transcript('../../package.json')).status).toBe(404)
    expect((await transcript('nothing')).status).toBe(404)
  })
})

async function later<T>(ms: number, work: () => Promise<T>): Promise<T> {
  await new Promise(done => setTimeout(done, ms))
  return work()
}
