import { afterEach, describe, expect, test, vi } from 'vitest'
import { type LiveSessionOptions, openLiveSession, type ServerEvent } from '#sdk/index.js'
import { connectWs, READY, type Script, startFaultyService } from '../support/faulty-service.ts'

let stop: (() => Promise<void>) | undefined
const unhandled = vi.fn()
process.on('unhandledRejection', unhandled)

afterEach(async () => {
  await stop?.()
  stop = undefined
  await new Promise(resolve => setTimeout(resolve, 5))
  const rejections = [...unhandled.mock.calls]
  // What one test left behind says nothing about the next.
  unhandled.mockClear()
  expect(rejections).toEqual([])
})

async function open(script: Script, options: LiveSessionOptions = {}) {
  const service = await startFaultyService(script)
  stop = service.stop
  return { live: openLiveSession(service.grant, { connect: connectWs, ...options }), peers: service.peers }
}

const isAudio = (frame: unknown) => Buffer.isBuffer(frame)
const final = (text: string) => ({
  type: 'final',
  text,
  utterance: 0,
  words: [],
  audio_ms: 0,
  billable_ms: 0,
})

/** A service that is ready at once and answers what it is asked. */
const healthy: Script = (peer, frame) => {
  if (!frame) return peer.say(READY)
  if (isAudio(frame)) return
  const { type } = frame as { type: string }
  if (type === 'flush') peer.say(final(`after ${peer.frames.filter(isAudio).length} frames`))
  if (type === 'reset') peer.say({ type: 'reset_ack', utterance: 1 })
  if (type === 'config') peer.say({ ...frame, type: 'config_ack', phrases: 0 })
}

describe('what is sent', () => {
  test('audio and requests from before ready are kept, and sent after it in order', async () => {
    const { live, peers } = await open((peer, frame) => {
      if (frame) healthy(peer, frame)
    })
    live.send(Int16Array.of(1, 2))
    const ack = live.configure({ language: 'ki' })
    live.send(Int16Array.of(3))
    const text = live.flush()
    await vi.waitFor(() => expect(peers).toHaveLength(1), { timeout: 20_000 })
    await new Promise(resolve => setTimeout(resolve, 40))
    expect(peers[0]?.frames).toEqual([])
    healthy(peers[0]!)
    expect((await text).text).toBe('after 2 frames')
    expect((await ack).language).toBe('ki')
    expect(peers[0]?.frames).toEqual([
      Buffer.from([1, 0, 2, 0]),
      { type: 'config', language: 'ki' },
      Buffer.from([3, 0]),
      { type: 'flush' },
    ])
    await live.close()
  })

  test('a long recording is split into frames of at most 65,536 bytes that together are the recording', async () => {
    const { live, peers } = await open(healthy)
    const pcm = Int16Array.from({ length: 100_001 }, (_, n) => n)
    await live.send(pcm)
    await live.flush()
    const audio = peers[0]!.frames.filter(isAudio) as Buffer[]
    expect(audio.map(frame => frame.byteLength)).toEqual([65_536, 65_536, 65_536, 3_394])
    expect(new Int16Array(new Uint8Array(Buffer.concat(audio)).buffer)).toEqual(pcm)
    await live.close()
  })

  test('a sender that is faster than the network has to wait for it', async () => {
    let resume = (): void => expect.unreachable()
    const { live } = await open((peer, frame) => {
      if (!frame) {
        peer.say(READY)
        peer.socket.pause()
        resume = () => peer.socket.resume()
      }
    })
    await live.ready
    // More than the buffers of the system hold.
    const sent = live.send(new Int16Array(16 * 1024 * 1024))
    const first = await Promise.race([sent, new Promise(resolve => setTimeout(resolve, 300, 'waits'))])
    expect(first).toBe('waits')
    resume()
    await sent
    await live.close()
  })

  test('look-ahead and phrases together take two messages; a refusal rejects and leaves the session open', async () => {
    const { live, peers } = await open((peer, frame) => {
      const { language } = (frame ?? {}) as { language?: string }
      if (language !== 'sw') return healthy(peer, frame)
      peer.say({ type: 'error', code: 'language_mismatch', message: 'no', fatal: false, session_id: null })
    })
    await live.configure({ lookAhead: 3, phrases: ['Nairobi'] })
    expect(peers[0]?.frames).toEqual([
      { type: 'config', context: [56, 3] },
      { type: 'config', context: ['Nairobi'] },
    ])
    await live.configure({ audio: { encoding: 'opus', sampleRateHz: 48_000 } })
    expect(peers[0]?.frames.at(-1)).toEqual({
      type: 'config',
      audio: { encoding: 'opus', sample_rate_hz: 48_000 },
    })
    await expect(live.configure({ language: 'sw' })).rejects.toMatchObject({ code: 'language_mismatch' })
    expect((await live.reset()).utterance).toBe(1)
    await live.close()
  })

  test('close lets what was asked before it finish', async () => {
    const { live } = await open((peer, frame) => {
      if (!frame) setTimeout(() => healthy(peer), 30)
      else setTimeout(() => healthy(peer, frame), 30)
    })
    live.send(Int16Array.of(1))
    const text = live.flush()
    await live.close()
    expect((await text).text).toBe('after 1 frames')
    await expect(live.send(Int16Array.of(1))).rejects.toMatchObject({ code: 'closed_by_caller' })
    await expect(live.flush()).rejects.toMatchObject({ code: 'closed_by_caller' })
  })
})

describe('what is heard', () => {
  test('loops and listeners get every event in order, unknown ones too, and the loop ends with the session', async () => {
    const { live } = await open((peer, frame) => {
      if (frame) return healthy(peer, frame)
      peer.say({ type: 'status', message: 'warming up' })
      peer.socket.send('no json')
      peer.say({ type: 'news of another version' })
      peer.say(READY)
    })
    const heard: string[] = []
    const off = live.on('status', event => heard.push(event.message))
    const types: ServerEvent['type'][] = []
    const loop = (async () => {
      for await (const event of live) types.push(event.type)
    })()
    await live.flush()
    off()
    await live.close()
    await loop
    expect(heard).toEqual(['warming up'])
    expect(types).toEqual(['status', 'news of another version', 'ready', 'final'])
    for await (const event of live) expect(event).toBe('nothing comes after the end')
  })

  test('leaving a loop early does not end the session; a listener that throws does not affect others', async () => {
    const thrown = vi.fn()
    process.once('uncaughtException', thrown)
    const { live } = await open(healthy)
    live.on('ready', () => {
      throw new Error('a mistake of the page')
    })
    const calm = vi.fn()
    live.on('ready', calm)
    for await (const event of live) {
      expect(event.type).toBe('ready')
      break
    }
    expect((await live.flush()).text).toBe('after 0 frames')
    expect(calm).toHaveBeenCalledOnce()
    await live.close()
    expect(thrown).toHaveBeenCalledOnce()
  })
})

/** Everything that can wait for a session, so that a test sees that nothing of it hangs. */
async function endings(live: ReturnType<typeof openLiveSession>) {
  const loop = (async () => {
    for await (const event of live) expect(event).toBeDefined()
  })()
  const promises = [live.flush(), live.reset(), live.configure({}), live.closed, loop]
  const settled = await Promise.allSettled(promises)
  return new Set(settled.map(result => (result.status === 'rejected' ? result.reason.code : 'resolved')))
}

test('a service that is silent because nobody speaks is asked for a keepalive, which no listener sees', async () => {
  const { live, peers } = await open(healthy, { silenceTimeoutMs: 900 })
  const types: string[] = []
  live.on('config_ack', event => types.push(event.type))
  await live.send(Int16Array.of(1))
  await new Promise(resolve => setTimeout(resolve, 2_500))
  expect(peers[0]?.frames.slice(1)).toEqual([{ type: 'config' }])
  await live.flush()
  await live.send(Int16Array.of(1))
  await live.reset()
  expect(types).toEqual([])
  await live.close()
})

test('where the service ends utterances by itself, the keepalive does not switch that off', async () => {
  const { live, peers } = await open(healthy, { silenceTimeoutMs: 900 })
  await live.configure({ endpointing: { silenceMs: 700 } })
  await live.send(Int16Array.of(1))
  await expect.poll(() => peers[0]?.frames.length, { timeout: 10_000 }).toBe(3)
  expect(peers[0]?.frames.at(-1)).toEqual({ type: 'config', language: 'ki' })
  await live.close()
})

describe('every failure rejects everything that waits, with the reason', () => {
  const neverReady: Script = () => undefined

  test('nobody listens', async () => {
    const { grant, stop: stopService } = await startFaultyService(neverReady)
    await stopService()
    const live = openLiveSession(grant, { connect: connectWs })
    await expect(live.ready).rejects.toMatchObject({ code: 'connection_failed' })
    expect(await endings(live)).toEqual(new Set(['connection_failed']))
    await expect(live.closed).rejects.toThrow(/ECONNREFUSED/)
    await expect(live.close()).rejects.toMatchObject({ sessionId: 'session' })
  })

  test('the address is invalid, or the runtime has no WebSocket', async () => {
    const grant = {
      id: 'x',
      websocket_url: 'nonsense',
      websocket_protocols: ['svc.realtime.v1', 'svc.auth.x'],
    }
    const live = openLiveSession(grant as never, { connect: connectWs })
    expect(await endings(live)).toEqual(new Set(['connection_failed']))
    vi.stubGlobal('WebSocket', undefined)
    expect(await endings(openLiveSession(grant as never))).toEqual(new Set(['no_websocket']))
    vi.unstubAllGlobals()
  })

  test.each([
    [4401, 'expired_credential'],
    [4401, 'credential_already_used'],
    [1013, 'engine_unavailable'],
    [4403, 'key_revoked'],
  ])('the service closes with %i %s', async (closeCode, code) => {
    const { live } = await open(peer => {
      peer.say({ type: 'error', code, message: `words of ${code}`, fatal: true, session_id: null })
      peer.socket.close(closeCode, code)
    })
    expect(await endings(live)).toEqual(new Set([code]))
    await expect(live.ready).rejects.toMatchObject({ code, closeCode, message: `words of ${code}` })
  })

  test('the service restarts: the final comes first, then the reason', async () => {
    const { live } = await open((peer, frame) => {
      if (!frame) return peer.say(READY)
      peer.say(final('so far'))
      peer.socket.close(1012, 'server_restarting')
    })
    const events: string[] = []
    live.on('final', event => events.push(event.text))
    await live.send(Int16Array.of(1))
    await expect(live.closed).rejects.toMatchObject({ code: 'server_restarting', closeCode: 1012 })
    expect(events).toEqual(['so far'])
  })

  test('the connection breaks without a close frame', async () => {
    const { live } = await open((peer, frame) => {
      if (!frame) return peer.say(READY)
      peer.socket.terminate()
    })
    await live.ready
    await live.send(Int16Array.of(1))
    expect(await endings(live)).toEqual(new Set(['network_lost']))
  })

  test('the service never gets ready', async () => {
    const { live } = await open(neverReady, { readyTimeoutMs: 50 })
    const sent = live.send(Int16Array.of(1))
    expect(await endings(live)).toEqual(new Set(['ready_timeout']))
    await expect(sent).rejects.toMatchObject({ code: 'ready_timeout' })
  })

  test('the service stops answering while the connection looks open', async () => {
    const { live } = await open((peer, frame) => void (frame || peer.say(READY)), { silenceTimeoutMs: 300 })
    await live.ready
    expect(await endings(live)).toEqual(new Set(['network_lost']))
  })

  test('audio is sent and nothing comes back, not even the answer to a keepalive', async () => {
    const { live, peers } = await open((peer, frame) => void (frame || peer.say(READY)), {
      silenceTimeoutMs: 900,
    })
    await live.ready
    await live.send(Int16Array.of(1))
    await expect(live.closed).rejects.toMatchObject({ code: 'network_lost' })
    expect(peers[0]?.frames.slice(1)).toEqual([{ type: 'config' }])
  })

  test('the caller aborts, before or after the beginning', async () => {
    const early = await open(healthy, { signal: AbortSignal.abort() })
    expect(await endings(early.live)).toEqual(new Set(['closed_by_caller']))
    await stop?.()
    const abort = new AbortController()
    const late = await open(healthy, { signal: abort.signal })
    await late.live.ready
    abort.abort()
    expect(await endings(late.live)).toEqual(new Set(['closed_by_caller']))
  })

  test('the caller closes before the connection is open', async () => {
    const { live } = await open(neverReady)
    await live.close()
    await expect(live.ready).rejects.toMatchObject({ code: 'closed_by_caller' })
  })
})
