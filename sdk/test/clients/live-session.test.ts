// The live half against the real service, over a network that breaks in every way.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { LiveSession } from '#sdk/index.js'
import { babble } from '../../../server/test/support/recogniser/test-audio.ts'
import { type Bench, startBench } from '../support/bench.ts'

const MODEL = 'svc-asr-dholuo-v1'
const SPEECH = babble(48_000)

let bench: Bench
const unhandled = vi.fn()
beforeAll(async () => {
  bench = await startBench()
  process.on('unhandledRejection', unhandled)
})
afterAll(async () => {
  process.off('unhandledRejection', unhandled)
  await bench.stop()
})
afterEach(() => {
  bench.network.release()
  Object.assign(bench.network, { delayMs: 0, isRefusing: false, cutAfterBytes: Number.POSITIVE_INFINITY })
  expect(unhandled).not.toHaveBeenCalled()
})

async function grant(creditMs = 3_600_000, max_audio_seconds = 60) {
  const { key } = await bench.customer({ creditMs })
  const client = bench.client(key)
  return { client, session: await client.createSession({ model: MODEL, max_audio_seconds }) }
}

/** Sends the speech and waits until the session is over: nothing may hang. */
async function speakUntilBroken(live: LiveSession) {
  const outcomes = await Promise.allSettled([live.send(SPEECH), live.flush(), live.closed])
  return outcomes.slice(1).map(outcome => (outcome.status === 'rejected' ? outcome.reason.code : 'fine'))
}

test('from the first sample to the settled end: events, finals, settings, and the bill', async () => {
  const { client, session } = await grant()
  const live = bench.open(session)
  const types: string[] = []
  const loop = (async () => {
    for await (const event of live) types.push(event.type)
  })()
  // Sent before the connection is open.
  live.send(SPEECH.subarray(0, 16_000))
  live.send(SPEECH.subarray(16_000))
  const first = await live.flush()
  expect(first.audio_ms).toBe(3_000)
  expect(first.words.map(word => word.text).join(' ')).toBe(first.text)
  expect(await live.configure({ lookAhead: 3, phrases: ['Nyakach', 'Kisumu'] })).toMatchObject({
    context: [56, 3],
    phrases: 2,
  })
  await live.send(SPEECH)
  await live.reset()
  expect((await live.flush()).text).toBe('')
  await expect(live.configure({ language: 'sw' })).rejects.toMatchObject({ code: 'language_mismatch' })
  await live.close()
  await loop
  expect(types.slice(0, 2)).toEqual(['status', 'ready'])
  expect(types.filter(type => type === 'final')).toHaveLength(2)
  const { recent_sessions } = await client.usage()
  expect(recent_sessions[0]).toMatchObject({ status: 'completed', audio_ms: 6_000, billable_ms: 6_000 })
})

test('close resolves when the session is settled: the account can open the next one at once, every time', async () => {
  const { key } = await bench.customer()
  const client = bench.directClient(key)
  let next = await client.createSession({ model: MODEL })
  for (let round = 1; round <= 10; round++) {
    const live = bench.open(next)
    await live.ready
    await live.close()
    next = await client.createSession({ model: MODEL }, { maxRetries: 0 })
  }
  const { recent_sessions } = await client.usage()
  expect(recent_sessions.filter(({ status }) => status === 'completed')).toHaveLength(10)
})

describe('the credential', () => {
  test('is used: a second opening fails with that reason, and the first goes on', async () => {
    const { session } = await grant()
    const first = bench.open(session)
    await first.ready
    const second = bench.open(session)
    await expect(second.ready).rejects.toMatchObject({
      name: 'SautiStreamError',
      code: 'credential_already_used',
      closeCode: 4401,
      sessionId: session.id,
    })
    await first.send(SPEECH)
    expect((await first.flush()).audio_ms).toBe(3_000)
    await first.close()
  })

  test('is expired', async () => {
    const { session } = await grant()
    await bench.expire(session.id)
    await expect(bench.open(session).ready).rejects.toMatchObject({
      code: 'expired_credential',
      closeCode: 4401,
    })
  })

  test('is forged', async () => {
    const { session } = await grant()
    const [protocol, secret] = session.websocket_protocols
    const turned = secret.slice(0, -2) + [...secret.slice(-2)].map(c => (c === 'A' ? 'B' : 'A')).join('')
    const live = bench.open({ ...session, websocket_protocols: [protocol, turned] })
    await expect(live.ready).rejects.toMatchObject({ code: 'invalid_credential' })
  })
})

describe('the service ends it', () => {
  test('the reservation is used up: the final of what was heard, then the reason', async () => {
    const { session } = await grant(3_600_000, 2)
    const live = bench.open(session)
    live.send(SPEECH)
    expect((await live.flush()).audio_ms).toBe(2_000)
    await expect(live.closed).rejects.toMatchObject({ code: 'audio_limit_reached', closeCode: 4402 })
    await expect(live.send(SPEECH)).rejects.toMatchObject({ code: 'audio_limit_reached' })
  })

  test('the key is revoked', async () => {
    const customer = await bench.customer()
    const session = await bench.client(customer.key).createSession({ model: MODEL })
    const live = bench.open(session)
    await live.ready
    await bench.revoke(customer)
    await expect(live.closed).rejects.toMatchObject({ code: 'key_revoked', closeCode: 4403 })
  })
})

describe('the network', () => {
  test('refuses', async () => {
    const { session } = await grant()
    bench.network.isRefusing = true
    const live = bench.open(session)
    expect(await speakUntilBroken(live)).toEqual(['connection_failed', 'connection_failed'])
  })

  test('is slow: everything arrives all the same', async () => {
    const { session } = await grant()
    bench.network.delayMs = 80
    const live = bench.open(session)
    live.send(SPEECH)
    expect((await live.flush()).audio_ms).toBe(3_000)
    await live.close()
  })

  test('is cut while speaking', async () => {
    const { session } = await grant()
    const live = bench.open(session)
    await live.ready
    await live.send(SPEECH)
    bench.network.cut()
    expect(await speakUntilBroken(live)).toEqual(['network_lost', 'network_lost'])
  })

  test.each([200, 700, 40_000])(
    'is cut after %i more bytes, in the middle of whatever they are',
    async bytes => {
      const { session } = await grant()
      bench.network.cutAfterBytes = bytes
      const live = bench.open(session)
      const [flush, closed] = await speakUntilBroken(live)
      expect(['connection_failed', 'network_lost']).toContain(flush)
      expect(closed).toBe(flush)
    },
  )

  test('stops answering: during a request, during speech, while opening', async () => {
    const [asking, speaking, opening] = [await grant(), await grant(), await grant()]
    const options = { silenceTimeoutMs: 1_500, readyTimeoutMs: 3_000 }
    const [first, second] = [bench.open(asking.session, options), bench.open(speaking.session, options)]
    await Promise.all([first.ready, second.ready])
    bench.network.stall()
    const third = bench.open(opening.session, options)
    const sound = setInterval(() => second.send(SPEECH.subarray(0, 1_600)), 100)
    const [asked, spoken, opened] = await Promise.allSettled([first.flush(), second.closed, third.ready])
    clearInterval(sound)
    expect(asked).toMatchObject({ reason: { code: 'network_lost' } })
    expect(spoken).toMatchObject({ reason: { code: 'network_lost' } })
    expect(opened).toMatchObject({ reason: { code: 'ready_timeout' } })
  })
})
