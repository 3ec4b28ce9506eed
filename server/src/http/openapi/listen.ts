// POST /v1/listen in the OpenAPI document: its query, its answer and its errors have Deepgram's forms.

import { ServiceError } from '@sauti/protocol/errors'
import { MODEL_IDS, MODELS } from '@sauti/protocol/models'
import { deepgramErrorBody } from '../../foreign/deepgram/error-body.ts'
import { DEEPGRAM_OPTIONS } from '../../foreign/deepgram/option-table.ts'
import { answer, type ErrorForm, RECORDING_CODES, refusals } from './responses.ts'

const REQUEST_ID = '00000000-0000-4000-8000-000000000000'
const UUID = { type: 'string', format: 'uuid' } as const
const SECONDS = { type: 'number', minimum: 0, description: 'Seconds.' } as const

const CONFIDENCE = {
  type: 'number',
  minimum: 0,
  maximum: 1,
  description: 'How sure the model is, from 0 to 1.',
} as const

const WORD = {
  type: 'object',
  required: ['word', 'start', 'end', 'confidence', 'punctuated_word'],
  properties: {
    word: { type: 'string', description: 'One word.' },
    start: SECONDS,
    end: SECONDS,
    confidence: CONFIDENCE,
    punctuated_word: { type: 'string', description: 'Same as `word`: nothing is punctuated.' },
  },
} as const

const ALTERNATIVE = {
  type: 'object',
  required: ['transcript', 'confidence', 'words'],
  properties: {
    transcript: { type: 'string', description: 'The text.' },
    confidence: CONFIDENCE,
    words: { type: 'array', items: WORD },
  },
} as const

const UTTERANCE = {
  ...ALTERNATIVE,
  required: ['id', 'channel', 'start', 'end', ...ALTERNATIVE.required],
  properties: {
    id: { type: 'string', description: 'ID of the utterance.' },
    channel: { type: 'integer', description: 'Always 0: files are mixed down to one channel.' },
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
        request_id: { ...UUID, description: 'The session of this file, as in `/v1/usage`.' },
        sha256: { type: 'string', description: 'SHA-256 of the file.' },
        created: { type: 'string', format: 'date-time', description: 'When the file was transcribed.' },
        duration: SECONDS,
        channels: { type: 'integer', const: 1 },
        models: {
          type: 'array',
          items: { type: 'string', enum: MODEL_IDS },
          description: 'The model that was used.',
        },
        warnings: {
          type: 'array',
          description: 'Options that were ignored or adjusted.',
          items: {
            type: 'object',
            required: ['parameter', 'type', 'message'],
            properties: {
              parameter: { type: 'string', description: 'Name of the option.' },
              type: { type: 'string', enum: ['ignored', 'adjusted'], description: 'What happened to it.' },
              message: { type: 'string', description: 'Why, for people to read.' },
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
        utterances: { type: 'array', description: 'Present with `utterances=true`.', items: UTTERANCE },
      },
    },
  },
} as const

export const LISTEN_ERROR = {
  title: 'ListenError',
  type: 'object',
  required: ['err_code', 'err_msg', 'request_id'],
  properties: {
    err_code: { type: 'string', description: 'Deepgram\u2019s name of the status.' },
    err_msg: { type: 'string', description: 'What is wrong, for people to read.' },
    request_id: { ...UUID, description: 'ID of the request, also in the logs of the service.' },
  },
} as const

/** Options that do something to a file. The page about foreign clients has the table of all. */
const FILE_OPTIONS: Readonly<Record<string, { schema: object; description: string }>> = {
  model: {
    schema: { type: 'string' },
    description: 'Model ID. If it is not one of ours, `language` selects the model.',
  },
  language: {
    schema: { type: 'string' },
    description: `${MODELS.map(({ languageCode }) => `\`${languageCode}\``).join(' or ')}. The name of the language works, too, and a region (\`-KE\`) may follow.`,
  },
  keyterm: {
    schema: { type: 'array', items: { type: 'string' } },
    description: 'Phrases to expect: at most 100, and 2,000 characters in total.',
  },
  keywords: {
    schema: { type: 'array', items: { type: 'string' } },
    description: 'Same as `keyterm`. Weights are ignored.',
  },
  utterances: { schema: { type: 'boolean' }, description: 'Also returns the file as a list of utterances.' },
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
    'The file is the body, and options are in the query. Deepgram clients work here with a different address and key, which they send as ' +
    '`Authorization: Token KEY`. Formats, credit and sessions are the same as for `/v1/audio/transcriptions`. Options that have no effect ' +
    'are listed in `warnings`. Options that would change the meaning of the response are refused. Live audio uses the same address over a ' +
    'WebSocket.',
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
