// A file that is refused while it is still coming in: the rest is read and dropped, so that the client gets to the answer and nothing of
// the request stays behind.

import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { bearer, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import { encodeForm } from '../../support/service/forms.ts'
import { makeSilentWav, serveTestTranscriptions } from '../../support/service/transcriptions.ts'

const limits = { fileMaxMs: 10_000, fileMaxBytes: 32_000_000 }
const plane = await openControlPlane(
  {},
  { extend: (app, parts) => serveTestTranscriptions(app, parts, limits) },
)
/** One connection for all requests. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

async function send(
  path: string,
  method: string,
  headers: object,
  body?: Uint8Array,
): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port: plane.port, path, method, agent, headers: { ...headers } }, resolve)
      .on('error', reject)
      .end(body)
  })
  await text(answer)
  return answer
}

describe('a file that is refused while it is coming in', () => {
  it.each([
    ['for want of credit', { creditMs: 0 }, KIKUYU, 402],
    ['for an unknown model', {}, 'svc-asr-nobody-v1', 404],
  ])(
    '%s is taken to its end: the connection answers the next request',
    async (_why, account, model, status) => {
      const customer = await plane.customer(account)
      const { body, contentType } = await encodeForm({ model, file: makeSilentWav(8_000_000) })
      const headers = { ...bearer(customer), 'content-type': contentType, 'content-length': body.length }
      const refused = await send('/v1/audio/transcriptions', 'POST', headers, body)
      expect(refused.statusCode).toBe(status)
      const next = await send('/v1/models', 'GET', bearer(customer))
      expect(next.statusCode).toBe(200)
    },
  )

  it('for its length is taken to its end on the route of Deepgram, too', async () => {
    const customer = await plane.customer()
    const wav = makeSilentWav(8_000_000)
    const headers = { ...bearer(customer), 'content-type': 'audio/wav', 'content-length': wav.length }
    const refused = await send(`/v1/listen?model=${KIKUYU}`, 'POST', headers, wav)
    expect(refused.statusCode).toBe(400)
    const next = await send('/v1/models', 'GET', bearer(customer))
    expect(next.statusCode).toBe(200)
  })
})
