// The settings of a stream and how a `config` message changes them (spec 4.4). Pure.

import {
  chunkSamples,
  DEFAULT_LOOK_AHEAD,
  ENCODING,
  LEFT_CONTEXT_FRAMES,
  type LookAhead,
  SAMPLE_RATE_HZ,
} from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { ModelDescription } from '@sauti/protocol/models'
import type { AudioSettings, ConfigAckEvent, ConfigRequest } from '@sauti/protocol/stream'
import type { RecogniserSettings } from '../../recogniser/port.ts'

/** What a client can set. */
export interface ConversationSettings extends RecogniserSettings {
  /** How much silence ends an utterance; undefined: only the client does. */
  readonly silenceMs: number | undefined
  readonly audio: AudioSettings
}

export const DEFAULT_SETTINGS: ConversationSettings = {
  lookAhead: DEFAULT_LOOK_AHEAD,
  phrases: [],
  silenceMs: undefined,
  audio: { encoding: ENCODING, sample_rate_hz: SAMPLE_RATE_HZ },
}

/** A frame with only `type` selects the defaults; it is also what a client sends to show that it is there. */
function isBare({ type: _type, ...settings }: ConfigRequest): boolean {
  return Object.values(settings).every(value => value === undefined)
}

/** Names nothing but the language, which is that of the session: it changes nothing, so it may come at any time. */
export function isKeepAlive({ type: _type, language: _language, ...settings }: ConfigRequest): boolean {
  return Object.values(settings).every(value => value === undefined)
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
  current: ConversationSettings,
  request: ConfigRequest,
  offered: readonly LookAhead[],
): ConversationSettings {
  if (isBare(request)) return DEFAULT_SETTINGS
  const {
    lookAhead = current.lookAhead,
    phrases = current.phrases,
    audio = current.audio,
    endpointing,
  } = request
  const silenceMs =
    endpointing === undefined ? current.silenceMs : endpointing ? endpointing.silence_ms : undefined
  if (offered.includes(lookAhead)) return { lookAhead, phrases, silenceMs, audio }
  throw new ServiceError('invalid_message', {
    message: `The model of this session looks ahead by ${offered.join(', ')} frames only.`,
  })
}

/** Then there is nothing to tell the engine. */
export function isSameSettings(one: RecogniserSettings, other: RecogniserSettings): boolean {
  if (one === other) return true
  const { length } = one.phrases
  const samePhrases =
    length === other.phrases.length && one.phrases.every((phrase, index) => phrase === other.phrases[index])
  return one.lookAhead === other.lookAhead && samePhrases
}

export function isSameAudio(one: AudioSettings, other: AudioSettings): boolean {
  return one.encoding === other.encoding && one.sample_rate_hz === other.sample_rate_hz
}

export function acknowledgeConfig(model: ModelDescription, settings: ConversationSettings): ConfigAckEvent {
  return {
    type: 'config_ack',
    language: model.languageCode,
    context: [LEFT_CONTEXT_FRAMES, settings.lookAhead],
    phrases: settings.phrases.length,
    chunk_samples: chunkSamples(settings.lookAhead),
    ...(settings.silenceMs === undefined ? {} : { endpointing: { silence_ms: settings.silenceMs } }),
    ...(isSameAudio(settings.audio, DEFAULT_SETTINGS.audio) ? {} : { audio: settings.audio }),
  }
}
