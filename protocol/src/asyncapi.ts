// The stream as an AsyncAPI 3 document, made from the schemas of its messages and the one table of errors. AsyncAPI
// describes it from the service's side: what clients send is received.

import { ENCODING, MAX_FRAME_BYTES, MAX_OPUS_PACKET_BYTES, SAMPLE_RATE_HZ } from './audio.ts'
import { ERRORS, type ErrorEntry } from './errors.ts'
import { INTERFACE_VERSION } from './http.ts'
import { CREDENTIAL_PREFIX, STREAM_PATH, STREAM_PROTOCOL } from './stream.ts'
import { CLIENT_MESSAGES, SERVER_EVENTS } from './stream-schemas.ts'

const AUDIO = 'Audio'

export function describeStreamApi(publicUrl: string) {
  const names = [...CLIENT_MESSAGES, ...SERVER_EVENTS].map(titleOf)
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Sauti streaming',
      version: INTERFACE_VERSION,
      description:
        'Live speech recognition over one WebSocket per session. Create the session over HTTP first; its answer holds the ' +
        'address and both subprotocols.\n\n' +
        describeCloses(),
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host: new URL(publicUrl).host,
        protocol: 'wss',
        security: [{ $ref: '#/components/securitySchemes/session' }],
      },
    },
    channels: {
      stream: {
        address: STREAM_PATH,
        servers: [{ $ref: '#/servers/service' }],
        messages: Object.fromEntries(
          [...names, AUDIO].map(name => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: 'GET', headers: HANDSHAKE, bindingVersion: '0.1.0' } },
      },
    },
    operations: describeOperations(),
    components: { securitySchemes: { session: CREDENTIAL }, messages: describeMessages() },
  }
}

function describeOperations() {
  return {
    receiveAudio: operation('receive', [AUDIO], 'Audio, after the event ready.'),
    receiveConfig: {
      ...operation('receive', ['Config'], 'Settings between utterances.'),
      reply: reply('ConfigAck'),
    },
    receiveFlush: { ...operation('receive', ['Flush'], 'The end of an utterance.'), reply: reply('Final') },
    receiveReset: { ...operation('receive', ['Reset'], 'Discard the utterance.'), reply: reply('ResetAck') },
    sendEvents: operation(
      'send',
      ['Status', 'Ready', 'Delta', 'Final', 'SpeechStarted', 'SpeechEnded', 'Error'],
      'What the service sends without being asked.',
    ),
  }
}

function describeMessages() {
  return {
    ...Object.fromEntries(
      [...CLIENT_MESSAGES, ...SERVER_EVENTS].map(schema => [titleOf(schema), describe(schema)]),
    ),
    [AUDIO]: {
      name: 'audio',
      title: AUDIO,
      summary:
        `A binary frame of ${ENCODING} audio: mono, ${SAMPLE_RATE_HZ} Hz, at most ${MAX_FRAME_BYTES} bytes; ` +
        `or the format set with \`config\`, such as one Opus packet of at most ${MAX_OPUS_PACKET_BYTES} bytes.`,
      contentType: 'application/octet-stream',
      payload: { type: 'string', format: 'binary', maxLength: MAX_FRAME_BYTES },
    },
  }
}

const CREDENTIAL = {
  type: 'httpApiKey',
  name: 'Sec-WebSocket-Protocol',
  in: 'header',
  description: `The one-use credential of a session, offered as the second subprotocol; it begins with \`${CREDENTIAL_PREFIX}\`.`,
} as const

const HANDSHAKE = {
  type: 'object',
  required: ['Sec-WebSocket-Protocol'],
  properties: {
    'Sec-WebSocket-Protocol': {
      type: 'string',
      description: `\`${STREAM_PROTOCOL}\` and the credential, in this order; the first is selected.`,
    },
  },
} as const

interface Titled {
  readonly title: string
  readonly description: string
  readonly properties: { readonly type: { readonly const: string } }
}

function titleOf(schema: object): string {
  return (schema as Titled).title
}

function describe(schema: object) {
  const { title, description, properties } = schema as Titled
  return { name: properties.type.const, title, summary: description, payload: schema }
}

function operation(action: 'send' | 'receive', messages: readonly string[], summary: string) {
  return { action, summary, channel: { $ref: '#/channels/stream' }, messages: messages.map(referTo) }
}

function reply(message: string) {
  return { channel: { $ref: '#/channels/stream' }, messages: [referTo(message)] }
}

function referTo(message: string) {
  return { $ref: `#/channels/stream/messages/${message}` }
}

function describeCloses(): string {
  const rows = Object.entries<ErrorEntry>(ERRORS)
    .filter(([, { close }]) => close !== undefined)
    .sort(([, a], [, b]) => a.close! - b.close!)
    .map(([code, { close, message }]) => `| ${close} | ${code} | ${message} |`)
  return ['| Close code | Reason | Meaning |', '|---|---|---|', ...rows].join('\n')
}
