// Models (2.1, 4.1).

import type { Answer } from '../exchange.ts'
import { rulesOf } from '../rule.ts'
import { modelList } from '../scenes/models.ts'
import { at, isList, isText, same, see } from '../see.ts'
import { DHOLUO, KIKUYU } from '../world.ts'

function ofEach(answer: Answer, path: string, wanted: unknown): void {
  for (const model of listed(answer)) same(at(model, path), wanted, path)
}

function listed(answer: Answer): readonly unknown[] {
  const data = at(answer.json, 'data')
  isList(data, 'data')
  see(data.length > 0, 'no model is listed')
  return data
}

export const modelRules = rulesOf(modelList, [
  {
    id: 'models.public',
    section: '4.1',
    text: 'GET /v1/models is public: 200 without credentials.',
    look: ({ status }) => same(status, 200, 'the status'),
  },
  {
    id: 'models.json',
    section: '4',
    text: 'HTTP bodies are JSON.',
    look: ({ headers }) =>
      see(
        /^application\/json\b/.test(headers['content-type'] ?? ''),
        `Content-Type is ${headers['content-type']}`,
      ),
  },
  {
    id: 'models.list',
    section: '4.1',
    text: 'The answer is { object: "list", data: [Model, ...] }.',
    look(answer) {
      same(at(answer.json, 'object'), 'list', 'object')
      listed(answer)
    },
  },
  {
    id: 'models.ids',
    section: '2.1',
    text: 'Both models are listed, and no other.',
    look: answer =>
      same(
        listed(answer)
          .map(model => at(model, 'id'))
          .toSorted(),
        [DHOLUO, KIKUYU],
        'the list of ids',
      ),
  },
  {
    id: 'models.object',
    section: '2.1',
    text: 'object is "model".',
    look: answer => ofEach(answer, 'object', 'model'),
  },
  {
    id: 'models.capability',
    section: '2.1',
    text: 'capability is "asr.streaming".',
    look: answer => ofEach(answer, 'capability', 'asr.streaming'),
  },
  {
    id: 'models.max-audio-seconds',
    section: '2.1',
    text: 'max_audio_seconds is 300.',
    look: answer => ofEach(answer, 'max_audio_seconds', 300),
  },
  {
    id: 'models.audio',
    section: '2.1',
    text: 'audio is pcm_s16le, 16000 Hz, one channel.',
    look(answer) {
      ofEach(answer, 'audio.encoding', 'pcm_s16le')
      ofEach(answer, 'audio.sample_rate_hz', 16_000)
      ofEach(answer, 'audio.channels', 1)
    },
  },
  {
    id: 'models.language',
    section: '2.1',
    text: 'language and language_code are strings.',
    look(answer) {
      for (const model of listed(answer)) {
        isText(at(model, 'language'), 'language')
        isText(at(model, 'language_code'), 'language_code')
      }
    },
  },
  {
    id: 'models.languages',
    section: 'decisions: identity',
    text: 'The languages are Kikuyu, ki, and Dholuo, luo.',
    look(answer) {
      const names = listed(answer).map(model => [
        at(model, 'id'),
        at(model, 'language'),
        at(model, 'language_code'),
      ])
      const wanted = [
        [DHOLUO, 'Dholuo', 'luo'],
        [KIKUYU, 'Kikuyu', 'ki'],
      ]
      same(names.toSorted(), wanted, 'the list of languages')
    },
  },
  {
    id: 'models.rate-headers',
    section: 'decisions: HTTP',
    text: 'Answers of limited routes carry RateLimit and RateLimit-Policy.',
    look({ headers }) {
      isText(headers.ratelimit, 'RateLimit')
      isText(headers['ratelimit-policy'], 'RateLimit-Policy')
    },
  },
])
