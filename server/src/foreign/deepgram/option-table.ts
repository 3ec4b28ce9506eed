// Every option of Deepgram's listen interface, and what becomes of it here. The documentation shows the same table, and a test compares
// them.

export type Medium = 'live' | 'file'

export type OptionRule =
  /** Named in `warnings` where it is `only` for the other kind of audio. */
  | { readonly support: 'works'; readonly only?: Medium; readonly isList?: true }
  /** Accepted, without effect; named in `warnings`. */
  | { readonly support: 'ignored'; readonly why: string }
  /** The answer would not be what the client asked for. A value that turns the option off is accepted. */
  | { readonly support: 'refused'; readonly why: string }

const works: OptionRule = { support: 'works' }
const worksAsList: OptionRule = { support: 'works', isList: true }
const live: OptionRule = { support: 'works', only: 'live' }
const file: OptionRule = { support: 'works', only: 'file' }
const plainText: OptionRule = {
  support: 'ignored',
  why: 'The text is what was said, as the model writes it.',
}
const noUnderstanding: OptionRule = {
  support: 'refused',
  why: 'Sauti transcribes; it does not analyse what was said.',
}
const oneSpeaker: OptionRule = { support: 'refused', why: 'Speakers and channels are not told apart.' }
const notStored: OptionRule = { support: 'ignored', why: 'Usage reports have no labels.' }
const noCallback: OptionRule = { support: 'refused', why: 'Results are sent on the connection only.' }

export const DEEPGRAM_OPTIONS: Readonly<Record<string, OptionRule>> = {
  model: works,
  language: works,
  encoding: live,
  sample_rate: live,
  channels: live,
  interim_results: live,
  endpointing: live,
  utterance_end_ms: live,
  vad_events: live,
  keyterm: worksAsList,
  keywords: worksAsList,
  // Nothing is ever used for training.
  mip_opt_out: works,
  utterances: file,
  utt_split: { support: 'ignored', why: 'Files are cut at their own pauses.' },

  punctuate: plainText,
  smart_format: plainText,
  numerals: plainText,
  dictation: plainText,
  measurements: plainText,
  filler_words: plainText,
  profanity_filter: plainText,
  paragraphs: plainText,
  no_delay: { support: 'ignored', why: 'Results are never held back for formatting.' },
  version: { support: 'ignored', why: 'The version is part of the name of the model.' },
  alternatives: { support: 'ignored', why: 'There is one alternative.' },
  tag: notStored,
  extra: notStored,

  diarize: oneSpeaker,
  diarize_model: oneSpeaker,
  diarize_version: oneSpeaker,
  multichannel: oneSpeaker,
  redact: { support: 'refused', why: 'Nothing is redacted, so the transcript would hold what it must not.' },
  replace: { support: 'refused', why: 'Words are not replaced.' },
  search: { support: 'refused', why: 'Audio is not searched; search the words of the transcript.' },
  callback: noCallback,
  callback_method: noCallback,
  detect_language: { support: 'refused', why: 'Name the language or the model.' },
  detect_entities: noUnderstanding,
  detect_topics: noUnderstanding,
  sentiment: noUnderstanding,
  summarize: noUnderstanding,
  topics: noUnderstanding,
  custom_topic: noUnderstanding,
  custom_topic_mode: noUnderstanding,
  intents: noUnderstanding,
  custom_intent: noUnderstanding,
  custom_intent_mode: noUnderstanding,
}

export interface OptionWarning {
  readonly parameter: string
  readonly type: 'ignored' | 'adjusted'
  readonly message: string
}
