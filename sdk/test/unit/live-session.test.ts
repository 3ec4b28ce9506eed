import { describe, expect, test, vi } from 'vitest'
import type { ServerEvent } from '#sdk/index.js'
import { READY, type Script } from '../support/faulty-service.ts'
import { healthy, isAudio, open } from '../support/scripted-session.ts'

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
    const script: Script = (peer, frame) => {
      if (frame) return
      peer.say(READY)
      peer.socket.pause()
      resume = () => peer.socket.resume()
    }
    // However long this machine takes to send it, the connection is not lost.
    const { live } = await open(script, { silenceTimeoutMs: 600_000 })
    await live.ready
    // More than the buffers of the system hold.
    const sent = live.send(new Int16Array(16 * 1024 * 1024))
    const first = await Promise.race([sent, new Promise(resolve => setTimeout(resolve, 300, 'waits'))])
    expect(first).toBe('waits')
    resume()
    await sent
    await live.close()
  }, 120_000)

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
  await expect.poll(() => peers[0]?.frames.length).toBe(3)
  expect(peers[0]?.frames.at(-1)).toEqual({ type: 'config', language: 'ki' })
  await live.close()
})
