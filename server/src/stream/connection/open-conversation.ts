// The conversation of a connection, once its session has a slot of the recogniser.

import type { RecogniserStream } from '../../recogniser/port.ts'
import type { OpenSession } from '../../sessions/redeem.ts'
import { Conversation, type ConversationParts } from '../conversation/conversation.ts'
import type { Meter } from '../conversation/meter.ts'
import { modelOf } from '../conversation/opening.ts'
import type { EngineListener } from './engine-listener.ts'
import type { ConnectionParts } from './parts.ts'

export interface ConversationOptions {
  readonly session: OpenSession
  readonly recogniser: RecogniserStream
  readonly listener: EngineListener
  readonly meter: Meter
  readonly send: ConversationParts['send']
}

export function openConversation(parts: ConnectionParts, options: ConversationOptions): Conversation {
  const { session, recogniser, listener, meter, send } = options
  return new Conversation({
    model: modelOf(session),
    lookAheads: parts.recogniser.lookAheads(session.model),
    recogniser,
    voice: parts.voice,
    voiceListener: listener,
    opus: parts.opus,
    opusListener: listener,
    meter,
    metrics: parts.metrics,
    maxQueuedAudioMs: parts.settings.maxQueuedAudioMs,
    monotonicMs: parts.monotonicMs,
    send,
  })
}
