import { describe, expect, test, vi } from 'vitest'
import { openLiveSession } from '#sdk/index.js'
import { connectWs, READY, type Script, startFaultyService } from '../support/faulty-service.ts'
import { final, healthy, open, stopService } from '../support/scripted-session.ts'

/** Every promise that can wait for a session, so that a test shows that none of them hangs. */
async function endings(live: ReturnType<typeof openLiveSession>) {
  const loop = (async () => {
    for await (const event of live) expect(event).toBeDefined()
  })()
  const promises = [live.flush(), live.reset(), live.configure({}), live.closed, loop]
  const settled = await Promise.allSettled(promises)
  return new Set(settled.map(result => (result.status === 'rejected' ? result.reason.code : 'resolved')))
}

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
    await stopService()
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
