// The transcription of files, as an operation of the OpenAPI document.

import { Transcription, VerboseTranscription } from '@sauti/protocol/http'
import { MODEL_IDS } from '@sauti/protocol/models'
import { GRANULARITIES, RESPONSE_FORMATS } from '../transcriptions/options.ts'
import { RECORDING_CODES, referToHeaders, refusals } from './responses.ts'
import { referTo } from './schemas.ts'

const TRANSCRIPTION_FORM = {
  type: 'object',
  required: ['model', 'file'],
  additionalProperties: false,
  properties: {
    model: { type: 'string', enum: MODEL_IDS, description: 'Model ID.' },
    file: { type: 'string', format: 'binary', description: 'The audio file.' },
    response_format: {
      type: 'string',
      enum: RESPONSE_FORMATS,
      default: 'json',
      description: 'Format of the response. Default: `json`.',
    },
    timestamp_granularities: {
      type: 'array',
      items: { type: 'string', enum: GRANULARITIES },
      description: 'Only with `verbose_json`. Default: `segment`.',
    },
    language: {
      type: 'string',
      description: 'Language of the model, as a code or a name. Any other language is refused.',
    },
    languages: {
      type: 'array',
      items: { type: 'string' },
      description: 'Languages that may be spoken. The language of the model must be among them.',
    },
    keywords: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Words and phrases to expect: up to 100, with 2,000 characters in total. Send them before `file`.',
    },
    prompt: { type: 'string', description: 'Accepted but ignored.' },
    temperature: { type: 'number', description: 'Accepted but ignored.' },
    chunking_strategy: { description: 'Accepted but ignored.' },
    include: { type: 'array', items: { type: 'string' }, description: 'Accepted but ignored.' },
    stream: { type: 'boolean', const: false, description: 'Only `false` is accepted.' },
  },
} as const

export const createTranscription = {
  operationId: 'createTranscription',
  summary: 'Transcribe a file',
  description:
    'Send one file and get one transcript. The request and the response are compatible with OpenAI, so its clients work with a different ' +
    'base URL and key. Formats: WAV, MP3, FLAC, Ogg (Vorbis, Opus) and WebM (Opus), and M4A if the operator has installed its decoder, up to ' +
    '2 hours and 512 MiB. A file counts as one open ' +
    'session of the account. Credit is reserved while the file is read, and the transcribed audio is billed in whole seconds. Only a response ' +
    'with status 200 is billed. Send `model` before `file`: a file that comes first is held in memory until the model is known, up to 32 MiB.',
  security: [{ apiKey: [] }],
  requestBody: {
    required: true,
    content: { 'multipart/form-data': { schema: TRANSCRIPTION_FORM } },
  },
  responses: {
    200: {
      description: 'The transcript.',
      headers: referToHeaders([
        'X-Request-Id',
        'X-Session-Id',
        'X-Ignored-Parameters',
        'RateLimit',
        'RateLimit-Policy',
      ]),
      content: {
        'application/json': {
          schema: { oneOf: [referTo(Transcription), referTo(VerboseTranscription)] },
        },
        'text/plain': { schema: { type: 'string', description: 'with `text` and `srt`.' } },
        'text/vtt': { schema: { type: 'string', description: 'with `vtt`.' } },
      },
    },
    ...refusals([...RECORDING_CODES, 'missing_parameter', 'unknown_parameter']),
  },
}
