// Files that are sent as fast as possible: all clips of a language one after the other, as one recording.

import { request } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { MODEL_IDS } from '@sauti/protocol/models'
import { Refusal, type ServiceAddress } from '../floods/session.ts'
import { type Call, codeOf } from './caller.ts'
import type { Clip } from './clips.ts'

const BOUNDARY = 'a-line-that-no-recording-holds'
const WAV_HEADER_BYTES = 44
/** Between two files, so that other callers find a moment, too. */
const PAUSE_MS = 500

export async function sendAgainAndAgain(service: ServiceAddress, call: Call, number: number): Promise<void> {
  const model = MODEL_IDS[number % MODEL_IDS.length]!
  const clips = call.clips.filter(clip => clip.model === model)
  const reference = clips.map(({ text }) => text).join(' ')
  const samples = joined(clips)
  const file = wavOf(samples)
  while (performance.now() < call.until) {
    try {
      const began = performance.now()
      const text = await transcribe(service, model, file)
      const seconds = (performance.now() - began) / 1000
      call.tally.hearFile(reference, text, samples.length / SAMPLE_RATE_HZ / seconds)
    } catch (error) {
      call.tally.fail(`file: ${codeOf(error)}`)
    }
    await wait(PAUSE_MS)
  }
}

function joined(clips: readonly Clip[]): Int16Array {
  const whole = new Int16Array(clips.reduce((sum, { audio }) => sum + audio.length, 0))
  let at = 0
  for (const { audio } of clips) {
    whole.set(audio, at)
    at += audio.length
  }
  return whole
}

function wavOf(samples: Int16Array): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES)
  header.write('RIFF', 0)
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + samples.byteLength, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SAMPLE_RATE_HZ, 24)
  header.writeUInt32LE(SAMPLE_RATE_HZ * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([header, Buffer.from(samples.buffer)])
}

function transcribe({ url, ca, key }: ServiceAddress, model: string, file: Buffer): Promise<string> {
  const part = (disposition: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const body = Buffer.concat([
    Buffer.from(`${part('name="model"')}${model}\r\n${part('name="file"; filename="clips.wav"')}`),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': body.length,
  }
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, ...(ca && { ca }) }
    const post = request(`${url}/v1/audio/transcriptions`, options, async response => {
      let text = ''
      for await (const chunk of response) text += chunk
      if (response.statusCode === 200) resolve(JSON.parse(text).text)
      else reject(new Refusal(text, response.headers['retry-after']))
    })
    post.on('error', reject)
    post.end(body)
  })
}
