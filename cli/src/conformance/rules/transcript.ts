// What is heard (4.4, 6): deltas, finals, words, resets, and what the conversation cost.

import type { SeenEvent } from '../recorded-stream.ts'
import { rulesOf } from '../rule.ts'
import { type Conversation, conversation } from '../scenes/conversation.ts'
import { at, isDateTime, isList, isText, isWhole, same, see } from '../see.ts'

const SAMPLES_PER_MS = 16
const SAMPLE_RATE_HZ = 16_000

function ofType(events: readonly SeenEvent[], type: string): unknown[] {
  return events.filter(event => event.type === type).map(({ json }) => json)
}

/** All of the utterance that was spoken: up to its final. */
function spoken({ speech, configUnderWay, bareConfigUnderWay, flush }: Conversation): readonly SeenEvent[] {
  return [...speech, ...configUnderWay, ...bareConfigUnderWay, ...flush]
}

function deltas(recording: Conversation): unknown[] {
  const found = ofType(spoken(recording), 'delta')
  see(found.length > 0, 'no delta came')
  return found
}

function final(recording: Conversation): unknown {
  const [found] = ofType(recording.flush, 'final')
  see(found, 'no final came')
  return found
}

function words(recording: Conversation): readonly unknown[] {
  const found = at(final(recording), 'words')
  isList(found, 'words')
  return found
}

function billedMs(samples: number): number {
  return Math.ceil(samples / SAMPLE_RATE_HZ) * 1000
}

const deltaRules = rulesOf(conversation, [
  {
    id: 'delta.text',
    section: '6',
    text: 'delta has a text: speech is written while it is spoken.',
    look: recording => {
      for (const delta of deltas(recording)) isText(at(delta, 'text'), 'text')
    },
  },
  {
    id: 'delta.grows',
    section: 'decisions: WebSocket',
    text: 'text is the whole utterance so far, append what is new in it: deltas only grow.',
    look(recording) {
      let text = ''
      for (const delta of deltas(recording)) {
        text += String(at(delta, 'append'))
        same(at(delta, 'text'), text, 'text')
      }
    },
  },
  {
    id: 'delta.audio-ms',
    section: 'decisions: WebSocket',
    text: 'audio_ms of the deltas never falls and never exceeds what was sent.',
    look(recording) {
      let lastMs = 0
      for (const delta of deltas(recording)) {
        const audioMs = at(delta, 'audio_ms')
        isWhole(audioMs, 'audio_ms', lastMs)
        see(audioMs <= recording.spokenSamples / SAMPLES_PER_MS, `audio_ms is ${audioMs}, more than was sent`)
        lastMs = audioMs
      }
    },
  },
  {
    id: 'delta.utterance',
    section: 'decisions: WebSocket',
    text: 'Deltas carry the number of the utterance that its final carries.',
    look(recording) {
      for (const delta of deltas(recording))
        same(at(delta, 'utterance'), at(final(recording), 'utterance'), 'utterance')
    },
  },
  {
    id: 'delta.before-final',
    section: '6',
    text: 'The deltas of an utterance come before its final.',
    look(recording) {
      const types = spoken(recording).map(({ type }) => type)
      see(types.lastIndexOf('delta') < types.lastIndexOf('final'), 'a delta came after the final')
    },
  },
])

const finalRules = rulesOf(conversation, [
  {
    id: 'final.once',
    section: '6',
    text: 'A flush is answered by exactly one final.',
    look: ({ flush }) => same(ofType(flush, 'final').length, 1, 'the number of finals'),
  },
  {
    id: 'final.silent',
    section: 'decisions: WebSocket',
    text: 'A flush when nothing was said is answered by a final with an empty text.',
    look({ silentFlush }) {
      const finals = ofType(silentFlush, 'final')
      same(finals.length, 1, 'the number of finals')
      same(at(finals[0], 'text'), '', 'text')
      same(at(finals[0], 'words'), [], 'words')
    },
  },
  {
    id: 'final.text',
    section: '6',
    text: 'final has the text of the utterance, at least what the deltas said.',
    look(recording) {
      const text = at(final(recording), 'text')
      isText(text, 'text')
      see(
        text.startsWith(String(at(deltas(recording).at(-1), 'text'))),
        'the final has lost what the last delta said',
      )
    },
  },
  {
    id: 'final.utterances',
    section: 'decisions: WebSocket',
    text: 'Utterances are counted from 1 on, without a gap.',
    look({ silentFlush, flush, reset, twoFlushes }) {
      const numbers = [...silentFlush, ...flush, ...reset, ...twoFlushes]
        .filter(({ type }) => type === 'final' || type === 'reset_ack')
        .map(({ json }) => at(json, 'utterance'))
      // The reset drops the third utterance; its acknowledgement names the next.
      same(numbers, [1, 2, 4, 4, 5], 'the list of utterances')
    },
  },
  {
    id: 'final.audio-ms',
    section: 'decisions: WebSocket',
    text: 'audio_ms is the accepted audio, to the millisecond: odd bytes are carried to the next frame, empty frames are ignored.',
    look: recording =>
      same(
        at(final(recording), 'audio_ms'),
        Math.floor(recording.spokenSamples / SAMPLES_PER_MS),
        'audio_ms',
      ),
  },
  {
    id: 'final.billable-ms',
    section: '8',
    text: 'billable_ms is the accepted audio, rounded up to the next second.',
    look: recording =>
      same(at(final(recording), 'billable_ms'), billedMs(recording.spokenSamples), 'billable_ms'),
  },
  {
    id: 'final.remaining-ms',
    section: 'decisions: WebSocket',
    text: 'remaining_ms is what is left of the reservation.',
    look(recording) {
      const reservedMs = Number(at(recording.session.answer.json, 'credits.reserved')) * 1000
      const usedMs = recording.spokenSamples / SAMPLES_PER_MS
      same(at(final(recording), 'remaining_ms'), Math.floor(reservedMs - usedMs), 'remaining_ms')
    },
  },
  {
    id: 'final.in-order',
    section: 'decisions: WebSocket',
    text: 'Two flushes are answered by two finals, in order.',
    look: ({ twoFlushes }) =>
      same(
        twoFlushes.map(({ type }) => type),
        ['final', 'final', 'config_ack'],
        'the list of answers',
      ),
  },
  {
    id: 'words.text',
    section: 'decisions: WebSocket',
    text: 'words are the words of the text, in order.',
    look(recording) {
      see(words(recording).length > 0, 'words is empty')
      const joined = words(recording)
        .map(word => at(word, 'text'))
        .join(' ')
      same(joined, at(final(recording), 'text'), 'words, joined,')
    },
  },
  {
    id: 'words.times',
    section: 'decisions: WebSocket',
    text: 'start_ms and end_ms of the words follow each other within the audio.',
    look(recording) {
      const audioMs = Number(at(final(recording), 'audio_ms'))
      let lastMs = 0
      for (const word of words(recording)) {
        const [start, end] = [at(word, 'start_ms'), at(word, 'end_ms')]
        isWhole(start, 'start_ms', lastMs)
        isWhole(end, 'end_ms', start)
        see(end <= audioMs, `end_ms is ${end}, after the end of the audio`)
        lastMs = start
      }
    },
  },
  {
    id: 'words.confidence',
    section: 'decisions: WebSocket',
    text: 'confidence lies between 0 and 1.',
    look(recording) {
      for (const word of words(recording)) {
        const confidence = at(word, 'confidence')
        const isGood = typeof confidence === 'number' && confidence >= 0 && confidence <= 1
        see(isGood, `confidence is ${String(confidence)}`)
      }
    },
  },
])

const resetRules = rulesOf(conversation, [
  {
    id: 'reset.acknowledged',
    section: '4.4',
    text: 'reset is acknowledged and starts a fresh utterance.',
    look: ({ reset }) => same(ofType(reset, 'reset_ack').length, 1, 'the number of acknowledgements'),
  },
  {
    id: 'reset.no-final',
    section: 'decisions: WebSocket',
    text: 'reset causes no final.',
    look: ({ reset }) => same(ofType(reset, 'final').length, 0, 'the number of finals'),
  },
  {
    id: 'reset.stays-billed',
    section: 'decisions: WebSocket',
    text: 'Audio that was dropped by reset stays accepted and billed.',
    look({ twoFlushes, allSamples }) {
      const [next] = ofType(twoFlushes, 'final')
      same(at(next, 'audio_ms'), Math.floor(allSamples / SAMPLES_PER_MS), 'audio_ms of the next final')
      same(at(next, 'billable_ms'), billedMs(allSamples), 'billable_ms of the next final')
    },
  },
  {
    id: 'reset.drops-text',
    section: 'decisions: WebSocket',
    text: 'What was dropped is not in the next final.',
    look({ twoFlushes }) {
      for (const next of ofType(twoFlushes, 'final')) same(at(next, 'text'), '', 'text')
    },
  },
  {
    id: 'close.by-client',
    section: 'decisions: WebSocket',
    text: 'A client that closes with 1000 gets 1000 back.',
    look: ({ closing }) => same(closing?.code, 1000, 'the close code'),
  },
  {
    id: 'billing.completed',
    section: 'decisions: money',
    text: 'A session that its client closed is completed, with the audio that was accepted.',
    look({ bill, allSamples }) {
      same(at(bill, 'status'), 'completed', 'status')
      isDateTime(at(bill, 'completed_at'), 'completed_at')
      same(at(bill, 'audio_ms'), Math.floor(allSamples / SAMPLES_PER_MS), 'audio_ms')
    },
  },
  {
    id: 'billing.rounded-up',
    section: '1',
    text: 'Accepted audio is rounded up to the next second.',
    look: ({ bill, allSamples }) => same(at(bill, 'billable_ms'), billedMs(allSamples), 'billable_ms'),
  },
])

export const transcriptRules = [...deltaRules, ...finalRules, ...resetRules]
