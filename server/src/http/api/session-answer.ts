// The answer to a new session (spec 2.3).

import { CHANNELS, CONTEXT_SIZE, ENCODING, SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import type { AsrSession } from '@sauti/protocol/http'
import type { ModelId } from '@sauti/protocol/models'
import { STREAM_PATH, STREAM_PROTOCOL } from '@sauti/protocol/stream'
import type { Reservation } from '../../ledger/reserve.ts'
import { issueCredential } from '../../sessions/credential.ts'
import type { HttpParts } from '../parts.ts'

/** Made from stored facts alone, so that a replay is the same to the byte. */
export function describeSession(
  { sessionId, expiresAt, reservedMs, remainingMs, nodeUrl }: Reservation,
  model: ModelId,
  parts: HttpParts,
): AsrSession {
  const seconds = reservedMs / 1000
  return {
    id: sessionId,
    object: 'asr.session',
    status: 'reserved',
    model,
    websocket_url: new URL(STREAM_PATH, nodeUrl ?? parts.publicUrl()).href.replace(/^https:/, 'wss:'),
    websocket_protocols: [STREAM_PROTOCOL, issueCredential(parts.credentialKeys, { sessionId, expiresAt })],
    expires_at: expiresAt.toISOString(),
    audio: {
      encoding: ENCODING,
      sample_rate_hz: SAMPLE_RATE_HZ,
      channels: CHANNELS,
      max_audio_seconds: seconds,
      context_size: [...CONTEXT_SIZE],
    },
    credits: { unit: 'audio_second', reserved: seconds, remaining: remainingMs / 1000 },
  }
}
