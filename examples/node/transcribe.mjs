// Sends a recording of any common format and prints its text, then the time of every word. One call: the service decodes and hears it.

import { openAsBlob } from 'node:fs'
import { SautiClient } from '@sauti/client'
import { createTransport } from '@sauti/client/node'

const [model, file] = process.argv.slice(2)
if (!file) throw new Error('usage: node transcribe.mjs MODEL FILE')
const { SAUTI_URL = 'https://localhost:8443', SAUTI_API_KEY } = process.env

// SAUTI_CA names the certificate authority of a service that runs on its own.
const { fetch } = createTransport()
const sauti = new SautiClient({ baseUrl: SAUTI_URL, apiKey: SAUTI_API_KEY, ...(fetch ? { fetch } : {}) })

const { text, words } = await sauti.transcribe({
  model,
  file: await openAsBlob(file),
  response_format: 'verbose_json',
  timestamp_granularities: ['word'],
})
if (text === '') console.error(`${file}: no speech was recognised`)
console.log(text)
for (const { word, start } of words) console.log(`${start.toFixed(2)}\t${word}`)
