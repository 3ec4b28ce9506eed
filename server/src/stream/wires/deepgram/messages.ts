// What Deepgram's interface says on a WebSocket, and how our words and times become its own: seconds instead of milliseconds.

import type { ModelId } from '@sauti/protocol/models'
import { type Alternative, describeModel, toSeconds } from '../../../foreign/deepgram/alternative.ts'
import type { OptionWarning } from '../../../foreign/deepgram/option-table.ts'

/** A part of the stream, in milliseconds. */
interface Span {
  readonly startMs: number
  readonly endMs: number
}

interface ResultsFlags {
  readonly isFinal: boolean
  readonly speechFinal: boolean
  readonly fromFinalize: boolean
}

/** What does not change on a connection. */
export interface StreamIdentity {
  readonly requestId: string
  readonly model: ModelId
  readonly warnings: readonly OptionWarning[]
}

export function results(
  identity: StreamIdentity,
  { startMs, endMs }: Span,
  alternative: Alternative,
  { isFinal, speechFinal, fromFinalize }: ResultsFlags,
): string {
  return JSON.stringify({
    type: 'Results',
    channel_index: [0, 1],
    duration: toSeconds(endMs - startMs),
    start: toSeconds(startMs),
    is_final: isFinal,
    speech_final: speechFinal,
    channel: { alternatives: [alternative] },
    metadata: {
      request_id: identity.requestId,
      model_info: describeModel(identity.model),
      model_uuid: identity.model,
      ...warningsOf(identity.warnings),
    },
    from_finalize: fromFinalize,
  })
}

/** The last message of a connection that the client finished. */
export function metadata(
  identity: StreamIdentity,
  durationMs: number,
  sha256: string,
  created: Date,
): string {
  return JSON.stringify({
    type: 'Metadata',
    transaction_key: 'deprecated',
    request_id: identity.requestId,
    sha256,
    created: created.toISOString(),
    duration: toSeconds(durationMs),
    channels: 1,
    models: [identity.model],
    model_info: { [identity.model]: describeModel(identity.model) },
    ...warningsOf(identity.warnings),
  })
}

export function speechStarted(atMs: number): string {
  return JSON.stringify({ type: 'SpeechStarted', channel: [0, 1], timestamp: toSeconds(atMs) })
}

export function utteranceEnd(lastWordEndMs: number): string {
  return JSON.stringify({ type: 'UtteranceEnd', channel: [0, 1], last_word_end: toSeconds(lastWordEndMs) })
}

export function failure(variant: string, message: string): string {
  return JSON.stringify({ type: 'Error', variant, description: message, message })
}

function warningsOf(warnings: readonly OptionWarning[]): { warnings?: readonly OptionWarning[] } {
  return warnings.length > 0 ? { warnings } : {}
}
