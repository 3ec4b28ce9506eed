// Speech by every way that the service takes it, rightly and wrongly.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { encodeForm } from '../service/forms.ts'
import { FrontDoor } from '../service/front-door.ts'
import { connectForeign, hearAll } from '../streams/foreign-clients.ts'
import { StreamClient } from '../streams/stream-client.ts'
import { MODEL, type Subject } from './subject.ts'

const COMPLETED = 'conversation.item.input_audio_transcription.completed'

export async function speakOnOurWire(subject: Subject): Promise<void> {
  const { service, customer, phrase, sound } = subject
  const door = new FrontDoor(service)
  const session = await door.createSession(customer)
  subject.plant('credential', session.websocket_protocols[1].replace('svc.auth.', ''))
  const client = await StreamClient.ready(session, service.ca)
  client.config({ context: [phrase] })
  await client.next('config_ack')
  client.audio(sound.subarray(0, 60_000))
  client.audio(sound.subarray(60_000))
  client.text(`{"type":"${phrase}"}`)
  client.text(phrase)
  client.config({ language: phrase })
  client.flush()
  subject.plantTranscript('stream', (await client.next('final')).text)
  const second = new StreamClient(session, service.ca)
  await second.closed
  client.audio(Buffer.alloc(70_000, sound.subarray(20_000, 20_064)))
  expect((await client.closed).code).toBe(1009)
}

export async function transcribeFiles(subject: Subject): Promise<void> {
  const { customer, bearer, phrase, clip } = subject
  const wav = readFileSync(clip.path)
  const { contentType, body } = await encodeForm({ model: MODEL, file: wav, prompt: phrase })
  const file = await subject.call(
    'POST',
    '/v1/audio/transcriptions',
    { ...bearer, 'content-type': contentType },
    body,
  )
  expect(file.status).toBe(200)
  subject.plantTranscript('file', JSON.parse(file.body).text)
  const broken = await encodeForm({ model: MODEL, file: wav.subarray(40), prompt: phrase })
  const refused = await subject.call(
    'POST',
    '/v1/audio/transcriptions',
    { ...bearer, 'content-type': broken.contentType },
    broken.body,
  )
  expect(refused.status).toBe(400)
  const query = new URLSearchParams({ model: MODEL, keyterm: phrase })
  const listened = await subject.call(
    'POST',
    `/v1/listen?${query}`,
    { authorization: `Token ${customer.key}`, 'content-type': 'audio/wav' },
    wav,
  )
  expect(listened.status).toBe(200)
  subject.plantTranscript(
    'file, Deepgram',
    JSON.parse(listened.body).results.channels[0].alternatives[0].transcript,
  )
}

export async function speakOnDeepgramsWire(subject: Subject): Promise<void> {
  const { service, customer, phrase, sound } = subject
  const query = new URLSearchParams({
    model: MODEL,
    encoding: 'linear16',
    sample_rate: '16000',
    keyterm: phrase,
  })
  const socket = connectForeign(service, { path: `/v1/listen?${query}`, protocols: ['token', customer.key] })
  await once(socket, 'open')
  const heard = hearAll(socket)
  socket.send(sound)
  socket.send(JSON.stringify({ type: phrase }))
  socket.send(JSON.stringify({ type: 'CloseStream' }))
  const { told } = await heard
  const transcripts = told.flatMap(({ channel }) => channel?.alternatives?.[0]?.transcript ?? [])
  subject.plantTranscript(
    'stream, Deepgram',
    transcripts.reduce((a, b) => (b.length > a.length ? b : a), ''),
  )
}

export async function speakOnOpenAisWire(subject: Subject): Promise<void> {
  const { service, bearer, phrase, sound } = subject
  const socket = connectForeign(service, { path: `/v1/realtime?model=${MODEL}`, headers: bearer })
  await once(socket, 'open')
  const say = (type: string, fields: object = {}) => socket.send(JSON.stringify({ type, ...fields }))
  const input = {
    format: { type: 'audio/pcm', rate: 24_000 },
    turn_detection: null,
    transcription: { prompt: phrase },
  }
  socket.on('message', data => {
    if (JSON.parse(String(data)).type === COMPLETED) socket.close()
  })
  const heard = hearAll(socket)
  say('session.update', { session: { type: 'transcription', audio: { input } } })
  say(phrase)
  // At another rate than it was recorded with, so that other words are heard: they count all the same.
  say('input_audio_buffer.append', { audio: sound.toString('base64') })
  say('input_audio_buffer.commit')
  const { told } = await heard
  subject.plant('transcript (stream, OpenAI)', told.find(({ type }) => type === COMPLETED)!.transcript)
}
