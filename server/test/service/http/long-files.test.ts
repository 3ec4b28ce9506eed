// A file that takes long: the answer begins before the transcript is there, so that no client times out.

import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import OpenAI, { toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import { bearer, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import type { Customer } from '../../support/service/customer.ts'
import { encodeForm } from '../../support/service/forms.ts'
import { makeSilentWav, serveTestTranscriptions } from '../../support/service/transcriptions.ts'

const recogniser = new ScriptedRecogniser()
const limits = { fileMaxMs: 60_000, fileMaxBytes: 1_000_000 }
const plane = await openControlPlane(
  {},
  {
    extend: (app, parts) =>
      serveTestTranscriptions(app, parts, limits, { recogniser, patience: { afterMs: 20, everyMs: 20 } }),
  },
)
const file = makeSilentWav(16_000)

/** In OpenAI's form. */
async function post(customer: Customer, fields: Record<string, string>): Promise<IncomingMessage> {
  const { body, contentType } = await encodeForm({ model: KIKUYU, file, ...fields })
  return send(customer, '/v1/audio/transcriptions', body, contentType)
}

/** In Deepgram's form. */
function listen(customer: Customer): Promise<IncomingMessage> {
  return send(customer, `/v1/listen?model=${KIKUYU}`, file, 'audio/wav')
}

/** Resolves with the headers. */
function send(
  customer: Customer,
  path: string,
  body: Uint8Array,
  contentType: string,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { ...bearer(customer), 'content-type': contentType, 'content-length': body.length }
    const options = { port: plane.port, path, method: 'POST', headers }
    request(options, resolve).on('error', reject).end(body)
  })
}

async function nextPiece(answer: IncomingMessage): Promise<string> {
  return new Promise(resolve => answer.once('data', piece => resolve(String(piece))))
}

async function statusOfLastSession(customer: Customer): Promise<string> {
  const { json } = await plane.call('/v1/usage', { headers: bearer(customer) })
  return json.recent_sessions[0].status
}

describe('a file that takes long', () => {
  it('is answered with headers and spaces, and then with its transcript', async () => {
    const letGo = recogniser.holdOpening()
    const answer = await post(await plane.customer(), {})
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringContaining('application/json'),
      'x-session-id': expect.any(String),
      'x-request-id': expect.any(String),
    })
    expect([await nextPiece(answer), await nextPiece(answer)]).toEqual([' ', ' '])
    letGo()
    expect(JSON.parse(await text(answer))).toMatchObject({ usage: { type: 'duration', seconds: 1 } })
  })

  it('is answered in the same way in Deepgram’s form', async () => {
    const letGo = recogniser.holdOpening()
    const answer = await listen(await plane.customer())
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toContain('application/json')
    expect([await nextPiece(answer), await nextPiece(answer)]).toEqual([' ', ' '])
    letGo()
    const { metadata } = JSON.parse(await text(answer))
    expect(metadata).toMatchObject({ duration: 1, request_id: answer.headers['dg-request-id'] })
  })

  it.each(['text', 'srt', 'vtt'])(
    'gets nothing but the headers before its transcript as %s',
    async format => {
      const letGo = recogniser.holdOpening()
      const answer = await post(await plane.customer(), { response_format: format })
      letGo()
      expect(answer.statusCode).toBe(200)
      expect(await text(answer)).not.toMatch(/^\s+\S/)
    },
  )

  it('reaches OpenAI’s client as if it were short', async () => {
    const letGo = recogniser.holdOpening()
    const { key } = await plane.customer()
    const client = new OpenAI({ apiKey: key, baseURL: `http://127.0.0.1:${plane.port}/v1`, maxRetries: 0 })
    const call = client.audio.transcriptions.create({ model: KIKUYU, file: await toFile(file, 'a.wav') })
    // The headers arrive before the file is transcribed.
    expect((await call.asResponse()).status).toBe(200)
    letGo()
    expect(await call).toMatchObject({ usage: { seconds: 1 } })
  })

  it.each([
    { form: 'OpenAI', ask: (customer: Customer) => post(customer, {}) },
    { form: 'Deepgram', ask: listen },
  ])('breaks off where the work fails later, and is not charged: $form', async ({ ask }) => {
    const letGo = recogniser.holdOpening()
    const customer = await plane.customer()
    const answer = await ask(customer)
    recogniser.refusing = true
    letGo()
    await expect(text(answer)).rejects.toThrow('aborted')
    recogniser.refusing = false
    expect(await statusOfLastSession(customer)).toBe('failed')
  })

  it('is refused with its own status where a field after it is wrong', async () => {
    const letGo = recogniser.holdOpening()
    const answering = post(await plane.customer(), { response_format: 'poem' })
    letGo()
    expect((await answering).statusCode).toBe(400)
  })
})
