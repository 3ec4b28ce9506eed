// A transcript of a file as Deepgram's interface defines it.

import type { FileTranscript } from '../../files/jobs.ts'
import { describeAlternative, describeModel, toSeconds } from '../../foreign/deepgram/alternative.ts'
import type { CommonOptions } from '../../foreign/deepgram/options.ts'

export interface FileFacts {
  readonly sha256: string
  readonly created: Date
  readonly wantsUtterances: boolean
}

export function describeTranscript(
  transcript: FileTranscript,
  options: CommonOptions,
  facts: FileFacts,
): object {
  const { model, warnings } = options
  const spoken = transcript.utterances.filter(({ text }) => text !== '')
  const text = spoken.map(utterance => utterance.text).join(' ')
  const words = spoken.flatMap(utterance => utterance.words)
  return {
    metadata: {
      transaction_key: 'deprecated',
      request_id: transcript.sessionId,
      sha256: facts.sha256,
      created: facts.created.toISOString(),
      duration: toSeconds(transcript.durationMs),
      channels: 1,
      models: [model],
      model_info: { [model]: describeModel(model) },
      ...(warnings.length > 0 ? { warnings } : {}),
    },
    results: {
      channels: [{ alternatives: [describeAlternative(text, words)] }],
      ...(facts.wantsUtterances ? { utterances: spoken.map(describeUtterance) } : {}),
    },
  }
}

function describeUtterance(
  { startMs, endMs, text, words }: FileTranscript['utterances'][number],
  index: number,
): object {
  return {
    id: String(index),
    channel: 0,
    start: toSeconds(words[0]?.start_ms ?? startMs),
    end: toSeconds(words.at(-1)?.end_ms ?? endMs),
    ...describeAlternative(text, words),
  }
}
