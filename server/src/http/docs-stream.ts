// The part of /docs that OpenAPI cannot describe: what is said on the WebSocket (spec 4.4 and 6).

import {
  chunkSamples,
  DEFAULT_LOOK_AHEAD,
  ENCODING,
  LEFT_CONTEXT_FRAMES,
  LOOK_AHEADS,
  MAX_FRAME_BYTES,
  SAMPLE_RATE_HZ,
} from '@sauti/protocol/audio'
import { ERRORS, type ErrorEntry } from '@sauti/protocol/errors'
import { MAX_PHRASES, MAX_PHRASES_CHARACTERS } from '@sauti/protocol/stream'
import { code, escapeHtml, prose, table } from './docs-html.ts'

const CLIENT_MESSAGES = [
  [
    '{"type":"config"}',
    `Optional, between utterances. \`language\`: the model's own, as code or name. \`context\`: \`[${LEFT_CONTEXT_FRAMES}, r]\` with r one of ${LOOK_AHEADS.join(', ')} (less look-ahead answers sooner and errs more), or up to ${MAX_PHRASES} phrases (${MAX_PHRASES_CHARACTERS} characters in all) that are likely to be said. A bare \`config\` is a keepalive.`,
  ],
  [
    'binary',
    `Audio: mono, ${SAMPLE_RATE_HZ} Hz, \`${ENCODING}\`, at most ${MAX_FRAME_BYTES} bytes a frame, after \`ready\`.`,
  ],
  ['{"type":"flush"}', 'Finalizes what was said; answered by exactly one `final`.'],
  ['{"type":"reset"}', 'Drops the unfinished utterance; answered by `reset_ack`.'],
] as const

const SERVER_EVENTS = [
  ['status', 'message', 'While the session starts.'],
  [
    'ready',
    'chunk_samples, session_id, model, language, sample_rate_hz, max_audio_seconds, max_frame_bytes',
    `Audio may be sent. The model takes ${chunkSamples(DEFAULT_LOOK_AHEAD)} samples at a time.`,
  ],
  ['config_ack', 'language, context, phrases, chunk_samples', 'The settings that hold now.'],
  [
    'delta',
    'text, append, utterance, audio_ms',
    '`text` is the utterance so far, `append` what is new in it.',
  ],
  ['final', 'text, utterance, words, audio_ms, billable_ms, remaining_ms', 'The utterance, after a flush.'],
  ['reset_ack', 'utterance', 'The next utterance.'],
  [
    'error',
    'message, code, fatal, session_id',
    'Before every close by the server; also for what does not end the session.',
  ],
] as const

export function renderStream(): string {
  const closes = Object.entries<ErrorEntry>(ERRORS).filter(([, entry]) => entry.close)
  closes.sort(([, a], [, b]) => a.close! - b.close!)
  return `<section><h2 id="stream">The stream</h2>
${prose('Wait for `ready`, send binary audio, send `flush`, read `delta` and `final`. Ignore events and fields that you do not know.')}
<h3>You send</h3>${table(
    ['Message', ''],
    CLIENT_MESSAGES.map(([message, words]) => [code(message), prose(words)]),
  )}
<h3>You receive</h3>${table(
    ['Type', 'Fields', ''],
    SERVER_EVENTS.map(([type, fields, words]) => [code(type), escapeHtml(fields), prose(words)]),
  )}
<h3>How it closes</h3>${table(
    ['Close', 'Reason', ''],
    closes.map(([name, { close, message }]) => [code(String(close)), code(name), escapeHtml(message)]),
  )}
</section>`
}
