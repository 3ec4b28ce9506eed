// The settings of a stream and how a `config` message changes them (spec 4.4). Pure.

import { chunkSamples, DEFAULT_LOOK_AHEAD, LEFT_CONTEXT_FRAMES, type LookAhead } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { ModelDescription } from '@sauti/protocol/models'
import type { ConfigAckEvent, ConfigRequest } from '@sauti/protocol/stream'
import type { RecogniserSettings } from '../recogniser/port.ts'

export const DEFAULT_SETTINGS: RecogniserSettings = { lookAhead: DEFAULT_LOOK_AHEAD, phrases: [] }

/** A frame with only `type` selects the defaults; it is also what a client sends to show that it is there. */
export function isBare({ language, lookAhead, phrases }: ConfigRequest): boolean {
  return language === undefined && lookAhead === undefined && phrases === undefined
}

/** Throws language_mismatch. */
export function checkLanguage(model: ModelDescription, language: string | undefined): void {
  if (language === undefined) return
  const asked = language.toLowerCase()
  if (asked === model.languageCode.toLowerCase() || asked === model.language.toLowerCase()) return
  throw new ServiceError('language_mismatch')
}

/** What a request names changes, the rest stays: look-ahead and phrases share one field, so they come in two messages. */
export function applyConfig(
  current: RecogniserSettings,
  request: ConfigRequest,
  offered: readonly LookAhead[],
): RecogniserSettings {
  if (isBare(request)) return DEFAULT_SETTINGS
  const { lookAhead = current.lookAhead, phrases = current.phrases } = request
  if (offered.includes(lookAhead)) return { lookAhead, phrases }
  throw new ServiceError('invalid_message', {
    message: `The model of this session looks ahead by ${offered.join(', ')} frames only.`,
  })
}

export function acknowledgeConfig(model: ModelDescription, settings: RecogniserSettings): ConfigAckEvent {
  return {
    type: 'config_ack',
    language: model.languageCode,
    context: [LEFT_CONTEXT_FRAMES, settings.lookAhead],
    phrases: settings.phrases.length,
    chunk_samples: chunkSamples(settings.lookAhead),
  }
}
