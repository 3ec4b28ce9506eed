// The options in the query of Deepgram's address: what each becomes, and what a client is told where it is refused.

import { describe, expect, it } from 'vitest'
import { readCommonOptions } from '#server/foreign/deepgram/options.js'
import { readLiveOptions } from '#server/stream/wires/deepgram/live-options.js'

const BASE = 'model=svc-asr-kikuyu-v1&encoding=linear16&sample_rate=16000'
const read = (more: string) => readLiveOptions(new URLSearchParams(`${BASE}&${more}`))
const readAlone = (query: string) => readLiveOptions(new URLSearchParams(query))

const RATES = '8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000'
const LANGUAGES = 'ki (Kikuyu), luo (Dholuo)'

describe('options of live audio', () => {
  it('have defaults', () => {
    expect(read('')).toEqual({
      model: 'svc-asr-kikuyu-v1',
      phrases: [],
      warnings: [],
      audio: { encoding: 'pcm_s16le', sampleRateHz: 16_000, channels: 1 },
      interimResults: false,
      silenceMs: 300,
      utteranceEndMs: undefined,
      vadEvents: false,
    })
  })

  it.each([
    ['interim_results=true', { interimResults: true }],
    ['interim_results=', { interimResults: true }],
    ['interim_results=FALSE', { interimResults: false }],
    ['vad_events=true&utterance_end_ms=1000', { vadEvents: true, utteranceEndMs: 1000 }],
    ['utterance_end_ms=5000', { utteranceEndMs: 5000 }],
    ['endpointing=TRUE', { silenceMs: 300, warnings: [] }],
    ['endpointing=false', { silenceMs: undefined, warnings: [] }],
    ['endpointing=false&vad_events=true', { silenceMs: undefined, vadEvents: false }],
    ['endpointing=200', { silenceMs: 200, warnings: [] }],
    ['endpointing=5000', { silenceMs: 5000, warnings: [] }],
    ['channels=8', { audio: { encoding: 'pcm_s16le', sampleRateHz: 16_000, channels: 8 } }],
    ['keyterm=Gatanga&keywords=Nairobi:2&keywords=a:b:1.5', { phrases: ['Gatanga', 'Nairobi', 'a:b'] }],
    ['keywords=Nairobi&keywords=suppressed:-1.5', { phrases: ['Nairobi'] }],
    ['keywords=a:2:b', { phrases: ['a:2:b'] }],
    ['keywords=a:-2:b', { phrases: ['a:-2:b'] }],
    ['language=ki-KE', { model: 'svc-asr-kikuyu-v1', warnings: [] }],
    ['redact=false&tag=off&diarize=0&replace=NONE&search=', { warnings: [] }],
  ])('%s', (query, expected) => {
    expect(read(query)).toMatchObject(expected)
  })

  it.each([
    ['encoding=mulaw', { encoding: 'mulaw', sampleRateHz: 8_000, channels: 1 }],
    ['encoding=alaw&sample_rate=16000&channels=2', { encoding: 'alaw', sampleRateHz: 16_000, channels: 2 }],
    ['encoding=opus', { encoding: 'opus', sampleRateHz: 48_000 }],
    ['encoding=opus&sample_rate=24000&channels=2', { encoding: 'opus', sampleRateHz: 24_000 }],
  ])('%s', (query, audio) => {
    expect(readAlone(`model=svc-asr-kikuyu-v1&${query}`).audio).toEqual(audio)
  })
})

describe('a warning', () => {
  const said = (parameter: string, message: string, type = 'ignored') => [{ parameter, type, message }]

  it.each([
    ['endpointing=199', said('endpointing', 'The silence that ends an utterance is 200 ms.', 'adjusted')],
    ['endpointing=5001', said('endpointing', 'The silence that ends an utterance is 5000 ms.', 'adjusted')],
    ['endpointing=false&vad_events=true', said('vad_events', 'Voices are detected with endpointing only.')],
    ['smart_format=true', said('smart_format', 'The text is what was said, as the model writes it.')],
    ['unheard_of=1', said('unheard_of', 'There is no such option.')],
    ['toString=1', said('toString', 'There is no such option.')],
    [`${'n'.repeat(50)}=1`, said('n'.repeat(40), 'There is no such option.')],
    ['tag=off&tag=mine', said('tag', 'Usage reports have no labels.')],
    ['utterances=true', said('utterances', 'It is for files. Live audio comes in utterances anyway.')],
    ['utterances=false', []],
    [
      'keywords=a:-2&keywords=b',
      said('keywords', 'Words cannot be suppressed: those with a negative weight were left out.', 'adjusted'),
    ],
  ])('is told for %s', (query, warnings) => {
    expect(read(query).warnings).toEqual(warnings)
  })

  it('is told where an option is for live audio, and the audio is a file', () => {
    const query = new URLSearchParams(
      'model=svc-asr-kikuyu-v1&interim_results=true&endpointing=300&utterances=true',
    )
    const message = 'It is for live audio.'
    expect(readCommonOptions(query, 'file').warnings).toEqual([
      { parameter: 'interim_results', type: 'ignored', message },
      { parameter: 'endpointing', type: 'ignored', message },
    ])
  })

  it('is told where the language chose the model, because the name was not ours', () => {
    const query = 'encoding=linear16&sample_rate=16000&language=Dholuo'
    const message = 'The language chose the model svc-asr-dholuo-v1.'
    expect(readAlone(`${query}&model=nova-3`)).toMatchObject({
      model: 'svc-asr-dholuo-v1',
      warnings: said('model', message, 'adjusted'),
    })
    expect(readAlone(query).warnings).toEqual([])
  })
})

describe('a refusal', () => {
  it.each([
    ['interim_results=yes', 'The option interim_results must be true or false.'],
    ['vad_events=1', 'The option vad_events must be true or false.'],
    ['utterance_end_ms=999', 'The option utterance_end_ms must be a whole number from 1000 to 5000.'],
    ['utterance_end_ms=5001', 'The option utterance_end_ms must be a whole number from 1000 to 5000.'],
    ['utterance_end_ms=x1000', 'The option utterance_end_ms must be a whole number from 1000 to 5000.'],
    ['utterance_end_ms=1000x', 'The option utterance_end_ms must be a whole number from 1000 to 5000.'],
    ['utterance_end_ms=1e3', 'The option utterance_end_ms must be a whole number from 1000 to 5000.'],
    ['utterance_end_ms=%2B1000', 'The option utterance_end_ms must be a whole number from 1000 to 5000.'],
    ['endpointing=300&endpointing=400', 'The option endpointing has two different values.'],
    ['channels=0', 'The option channels must be a whole number from 1 to 8.'],
    ['channels=9', 'The option channels must be a whole number from 1 to 8.'],
    ['endpointing=soon', 'The option endpointing must be false or a number of milliseconds.'],
    ['endpointing=300ms', 'The option endpointing must be false or a number of milliseconds.'],
    ['endpointing=-300', 'The option endpointing must be false or a number of milliseconds.'],
    [
      'endpointing=false&utterance_end_ms=1000',
      'The option endpointing must not be false with utterance_end_ms.',
    ],
    [
      'redact=pci',
      'The option redact is not supported. Nothing is redacted, so the transcript would hold what it must not.',
    ],
    [
      'redact=false&redact=pci',
      'The option redact is not supported. Nothing is redacted, so the transcript would hold what it must not.',
    ],
    ['language=sw', `The language "sw" is not known here. Known are ${LANGUAGES}.`],
    [
      `language=${'x'.repeat(50)}`,
      `The language "${'x'.repeat(40)}" is not known here. Known are ${LANGUAGES}.`,
    ],
    ['language=luo', 'The model svc-asr-kikuyu-v1 does not hear Dholuo.'],
    [
      `keyterm=${'k'.repeat(2_001)}`,
      'keyterm can contain at most 100 phrases with 2000 characters in total.',
    ],
  ])('names the option: %s', (query, message) => {
    expect(() => read(query)).toThrow(expect.objectContaining({ code: 'invalid_parameter', message }))
  })

  it.each([
    ['', 'The option encoding is required: send raw audio, not a container such as WebM or WAV.'],
    ['encoding=webm', 'The option encoding must be one of linear16, mulaw, alaw, opus.'],
    ['encoding=toString', 'The option encoding must be one of linear16, mulaw, alaw, opus.'],
    ['encoding=linear16', `The option sample_rate must be one of ${RATES}.`],
    ['encoding=linear16&sample_rate=16001', `The option sample_rate must be one of ${RATES}.`],
    [
      'encoding=opus&sample_rate=44100',
      'The option sample_rate must be one of 8000, 12000, 16000, 24000, 48000.',
    ],
    ['encoding=opus&channels=3', 'The option channels must be a whole number from 1 to 2.'],
  ])('names what the audio lacks: %s', (query, message) => {
    const ask = () => readAlone(`model=svc-asr-kikuyu-v1&${query}`)
    expect(ask).toThrow(expect.objectContaining({ code: 'invalid_parameter', message }))
  })

  it('lists the models where none is named', () => {
    expect(() => readAlone('encoding=mulaw')).toThrow(
      expect.objectContaining({
        code: 'model_not_found',
        message: 'Name a model (svc-asr-kikuyu-v1, svc-asr-dholuo-v1).',
      }),
    )
  })

  it('comes for one phrase more than there may be, not for empty ones', () => {
    const words = (count: number) => Array.from({ length: count }, () => 'keyterm=a').join('&')
    expect(read(`${words(100)}&keyterm=%20`).phrases).toHaveLength(100)
    expect(() => read(words(101))).toThrow('at most 100 phrases')
    expect(read('keyterm=%20b%20').phrases).toEqual(['b'])
    expect(read(`keyterm=${'k'.repeat(2_000)}`).phrases).toHaveLength(1)
  })
})
