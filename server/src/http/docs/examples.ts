// A request and its response for every operation of the HTTP reference. A test holds the responses against the schemas.

import { MODELS } from '@sauti/protocol/models'

export interface Example {
  /** What follows `curl` on the command line; `{{base_url}}` is the address of the service. */
  readonly request: string
  readonly response?: unknown
}

const KEY = '-H "Authorization: Bearer $SAUTI_API_KEY"'
const SESSION_ID = '3f0c2f3e-6f0e-4a55-9d3c-6b0d6c1a2b3c'
const AUDIO = { encoding: 'pcm_s16le', sample_rate_hz: 16_000, channels: 1 }

const USAGE_SESSION = {
  id: SESSION_ID,
  model: 'svc-asr-kikuyu-v1',
  status: 'completed',
  audio_ms: 12_300,
  billable_ms: 13_000,
  created_at: '2026-01-31T12:00:00.000Z',
  completed_at: '2026-01-31T12:00:14.000Z',
}

export const EXAMPLES: Readonly<Record<string, Example>> = {
  listModels: {
    request: '{{base_url}}/v1/models',
    response: {
      object: 'list',
      data: [
        {
          id: MODELS[0].id,
          object: 'model',
          capability: 'asr.streaming',
          language: MODELS[0].language,
          language_code: MODELS[0].languageCode,
          max_audio_seconds: 300,
          audio: AUDIO,
        },
      ],
    },
  },
  createSession: {
    request: `{{base_url}}/v1/asr/sessions \\
  ${KEY} \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: call-4711" \\
  -d '{"model": "svc-asr-kikuyu-v1", "max_audio_seconds": 60}'`,
    response: {
      id: SESSION_ID,
      object: 'asr.session',
      status: 'reserved',
      model: 'svc-asr-kikuyu-v1',
      websocket_url: 'wss://sauti.example.org/v1/asr/stream',
      websocket_protocols: ['svc.realtime.v1', 'svc.auth.kJ3…'],
      expires_at: '2026-01-31T12:01:00.000Z',
      audio: { ...AUDIO, max_audio_seconds: 60, context_size: [56, 13] },
      credits: { unit: 'audio_second', reserved: 60, remaining: 3540 },
    },
  },
  createTranscription: {
    request: `{{base_url}}/v1/audio/transcriptions \\
  ${KEY} \\
  -F model=${MODELS[0].id} \\
  -F file=@talk.mp3`,
    response: {
      text: 'mĩtaratara ya wathani yahutirio nĩ moritũ maingĩ',
      usage: { type: 'duration', seconds: 13 },
    },
  },
  listenToFile: {
    request: `"{{base_url}}/v1/listen?model=${MODELS[0].id}" \\
  -H "Authorization: Token $SAUTI_API_KEY" \\
  -H "Content-Type: audio/mpeg" \\
  --data-binary @talk.mp3`,
    response: {
      metadata: {
        request_id: SESSION_ID,
        sha256: 'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184',
        created: '2026-01-31T12:00:00.000Z',
        duration: 0.9,
        channels: 1,
        models: [MODELS[0].id],
      },
      results: {
        channels: [
          {
            alternatives: [
              {
                transcript: 'maingĩ',
                confidence: 0.97,
                words: [
                  { word: 'maingĩ', start: 0.24, end: 0.72, confidence: 0.97, punctuated_word: 'maingĩ' },
                ],
              },
            ],
          },
        ],
      },
    },
  },
  cancelSession: {
    request: `-X DELETE \\
  {{base_url}}/v1/asr/sessions/${SESSION_ID} \\
  ${KEY}`,
    response: { ...USAGE_SESSION, status: 'expired', audio_ms: 0, billable_ms: 0 },
  },
  readUsage: {
    request: `{{base_url}}/v1/usage \\
  ${KEY}`,
    response: {
      object: 'credit_balance',
      unit: 'audio_millisecond',
      available_ms: 3_527_000,
      reserved_ms: 60_000,
      consumed_ms: 13_000,
      recent_sessions: [USAGE_SESSION],
    },
  },
  readHealth: { request: '{{base_url}}/healthz' },
  readReadiness: { request: '{{base_url}}/readyz' },
}
