// How late the text of one utterance was, by the definitions that others use. docs/latency.md explains each. Pure.

import { compareWords, wordsOf } from './words.ts'

/** An event with text, when it arrived. All times are in ms on one clock. */
export interface TextEvent {
  readonly at: number
  readonly type: 'delta' | 'final'
  readonly text: string
  /** How much of the utterance's audio it covers, where the service says that. */
  readonly audioMs: number | undefined
}

export interface Utterance {
  /** When its first sample was spoken. Audio is sent as it is spoken, so `beganAt + ms` is when that place of it was. */
  readonly beganAt: number
  /** Where speech ends in its audio. */
  readonly speechEndMs: number
  readonly flushedAt: number
  /** In the order of arrival; the last is the final. */
  readonly events: readonly TextEvent[]
  /** Where each word of the final ends in the utterance's audio; not all are known where another service found them. */
  readonly wordEndsMs: readonly (number | undefined)[]
  readonly reference: string
}

export interface Latencies {
  readonly flushToFinalMs: number
  /** From the first sample to the first delta; absent where the final came first. */
  readonly firstDeltaMs: number | undefined
  /** Every delta behind the audio that it covers. */
  readonly deltaBehindAudioMs: readonly number[]
  /** Pipecat's time to final segment: from the end of speech to the final. */
  readonly finalSegmentMs: number
  /** Artificial Analysis: from the detected end of speech, which is when the client flushes. */
  readonly firstPartialMs: number
  readonly firstFinalMs: number
  /** Picovoice: from the end of each right word to the event that brought it. */
  readonly wordEmissionMs: readonly number[]
}

export function latenciesOf(utterance: Utterance): Latencies {
  const { beganAt, flushedAt, events } = utterance
  const final = events.at(-1)!
  const deltas = events.filter(({ type }) => type === 'delta')
  const firstAfterEnd = events.find(({ at }) => at >= flushedAt)!
  return {
    flushToFinalMs: final.at - flushedAt,
    firstDeltaMs: deltas[0] && deltas[0].at - beganAt,
    deltaBehindAudioMs: deltas.flatMap(({ at, audioMs }) =>
      audioMs === undefined ? [] : [at - (beganAt + audioMs)],
    ),
    finalSegmentMs: final.at - (beganAt + utterance.speechEndMs),
    firstPartialMs: firstAfterEnd.at - flushedAt,
    firstFinalMs: final.at - flushedAt,
    wordEmissionMs: emissionsOf(utterance),
  }
}

function emissionsOf({ beganAt, events, wordEndsMs, reference }: Utterance): number[] {
  const texts = events.map(({ text }) => wordsOf(text))
  const final = texts.at(-1)!
  return compareWords(wordsOf(reference), final).matches.flatMap(({ heard }) => {
    const endMs = wordEndsMs[heard]
    return endMs === undefined ? [] : [events[firstWith(texts, heard)]!.at - (beganAt + endMs)]
  })
}

/** The utterance of a service that tells no times of words, with those that another one found for the same words of the same clip. */
export function withWordEndsOf(other: Utterance, utterance: Utterance): Utterance {
  const reference = wordsOf(utterance.reference)
  const matchesIn = ({ events }: Utterance) => compareWords(reference, wordsOf(events.at(-1)!.text)).matches
  const known = new Map(matchesIn(other).map(match => [match.reference, other.wordEndsMs[match.heard]]))
  const wordEndsMs: (number | undefined)[] = []
  for (const match of matchesIn(utterance)) wordEndsMs[match.heard] = known.get(match.reference)
  return { ...utterance, wordEndsMs }
}

/** The first event from which on this word stays as it is in the final. */
function firstWith(texts: readonly (readonly string[])[], word: number): number {
  const last = texts.length - 1
  let first = last
  while (first > 0 && texts[first - 1]![word] === texts[last]![word]) first--
  return first
}
