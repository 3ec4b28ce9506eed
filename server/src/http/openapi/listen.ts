// POST /v1/listen in the OpenAPI document: its query, its answer and its errors have Deepgram's forms.

import { ServiceError } from '@sauti/protocol/errors'
import { MODEL_IDS } from '@sauti/protocol/models'
import { deepgramErrorBody } from '../../foreign/deepgram/error-body.ts'
import { DEEPGRAM_OPTIONS } from '../../foreign/deepgram/option-table.ts'
import { answer, type ErrorForm, RECORDING_CODES, refusals } from './responses.ts'

const REQUEST_ID = '00000000-0000-4000-8000-000000000000'
const UUID = { type: 'string', format: 'uuid' } as const
const SECONDS = { type: 'number', minimum: 0, description: 'Seconds.' } as const

const WORD = {
  type: 'object',
  required: ['word', 'start', 'end', 'confidence', 'punctuated_word'],
  properties: {
    word: { type: 'string' },
    start: SECONDS,
    end: SECONDS,
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    punctuated_word: { type: 'string' },
  },
} as const

const ALTERNATIVE = {
  type: 'object',
  required: ['transcript', 'confidence', 'words'],
  properties: {
    transcript: { type: 'string' },
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    words: { type: 'array', items: WORD },
  },
} as const

const UTTERANCE = {
  ...ALTERNATIVE,
  required: ['id', 'channel', 'start', 'end', ...ALTERNATIVE.required],
  properties: {
    id: { type: 'string' },
    channel: { type: 'integer' },
    start: SECONDS,
    end: SECONDS,
    ...ALTERNATIVE.properties,
  },
} as const

export const LISTEN_ANSWER = {
  title: 'ListenAnswer',
  type: 'object',
  required: ['metadata', 'results'],
  properties: {
    metadata: {
      type: 'object',
      required: ['request_id', 'sha256', 'created', 'duration', 'channels', 'models'],
      properties: {
        request_id: { ...UUID, description: 'The session of the file, as the usage lists it.' },
        sha256: { type: 'string', description: 'Of the file.' },
        created: { type: 'string', format: 'date-time' },
        duration: SECONDS,
        channels: { type: 'integer', const: 1 },
        models: { type: 'array', items: { type: 'string', enum: MODEL_IDS } },
        warnings: {
          type: 'array',
          description: 'Options without effect, and adjusted ones.',
          items: {
            type: 'object',
            required: ['parameter', 'type', 'message'],
            properties: {
              parameter: { type: 'string' },
              type: { type: 'string', enum: ['ignored', 'adjusted'] },
              message: { type: 'string' },
            },
          },
        },
      },
    },
    results: {
      type: 'object',
      required: ['channels'],
      properties: {
        channels: {
          type: 'array',
          items: {
            type: 'object',
            required: ['alternatives'],
            properties: { alternatives: { type: 'array', items: ALTERNATIVE } },
          },
        },
        utterances: { type: 'array', description: 'Where they were asked for.', items: UTTERANCE },
      },
    },
  },
} as const

export const LISTEN_ERROR = {
  title: 'ListenError',
  type: 'object',
  required: ['err_code', 'err_msg', 'request_id'],
  properties: { err_code: { type: 'string' }, err_msg: { type: 'string' }, request_id: UUID },
} as const

/** Options that do something to a file. The page about foreign clients has the table of all. */
const FILE_OPTIONS: Readonly<Record<string, { schema: object; description: string }>> = {
  model: {
    schema: { type: 'string' },
    description: 'A model of this service. With another name, `language` chooses.',
  },
  language: { schema: { type: 'string' }, description: '`ki` or `luo`, also with a region or by name.' },
  keyterm: {
    schema: { type: 'array', items: { type: 'string' } },
    description: 'Phrases that are likely to be said: up to 100, of 2,000 characters in all.',
  },
  keywords: {
    schema: { type: 'array', items: { type: 'string' } },
    description: 'Like `keyterm`; weights are dropped.',
  },
  utterances: { schema: { type: 'boolean' }, description: 'Lists the utterances of the file, too.' },
}

const PARAMETERS = Object.entries(FILE_OPTIONS).map(([name, option]) => {
  if (DEEPGRAM_OPTIONS[name]?.support !== 'works') throw new Error(`the option ${name} is not served`)
  return { name, in: 'query', required: false, explode: true, ...option }
})

const FORM: ErrorForm = {
  schema: LISTEN_ERROR,
  example: code => deepgramErrorBody(new ServiceError(code), REQUEST_ID),
}

export const listenToFile = {
  operationId: 'listenToFile',
  summary: 'Transcribe a file, compatible with Deepgram',
  description:
    'The file is the body; options are in the query. Clients of Deepgram work here with another address and key, which they send as ' +
    '`Authorization: Token KEY`. Files, credit and sessions are as with `/v1/audio/transcriptions`. Options without effect are named in ' +
    '`warnings`; those that would change what the answer means are refused. Live audio has the same address, as a WebSocket.',
  security: [{ apiKey: [] }],
  parameters: PARAMETERS,
  requestBody: {
    required: true,
    content: { 'audio/*': { schema: { type: 'string', format: 'binary', description: 'The recording.' } } },
  },
  responses: {
    200: answer('The transcript.', LISTEN_ANSWER, ['RateLimit', 'RateLimit-Policy']),
    ...refusals(RECORDING_CODES, FORM),
  },
}
