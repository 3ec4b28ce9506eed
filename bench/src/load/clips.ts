// Recordings with known text: the samples of the bundled models, and sentences with rare names.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { MODELS, type ModelId } from '@sauti/protocol/models'
import { INSTALLATION } from '@sauti/server/installation.js'
import { VoiceNetwork } from '@sauti/server/recogniser/voice/voice-network.js'
import { byNetwork, cutFrames } from '../endpointing/contenders.ts'
import { expand, NAMES, readWav, SAMPLES } from '../engine/clips.ts'

const VOICE_FRAME_MS = 32
const IS_VOICE = 0.5
/** How long a client hears silence before it takes speech as ended: Pipecat's `stop_secs` of 0.2. */
const STOP_MS = 200

export interface Clip {
  readonly name: string
  readonly model: ModelId
  readonly text: string
  /** Ends when a client would notice that speech has ended. */
  readonly audio: Int16Array
  readonly speechEndMs: number
}

export function readClips(): Clip[] {
  const network = new VoiceNetwork(INSTALLATION.voiceModel)
  return [...readSamples(), ...readNames()].map(({ language, audio, ...clip }) => {
    const speechEndMs = findSpeechEnd(network, audio)
    const model = MODELS.find(({ languageCode }) => languageCode === language)!.id
    return { ...clip, model, speechEndMs, audio: cutAt(audio, (speechEndMs + STOP_MS) * SAMPLES_PER_MS) }
  })
}

interface Recording {
  readonly name: string
  readonly language: string
  readonly text: string
  readonly audio: Int16Array
}

function readSamples(): Recording[] {
  const [, ...lines] = readFileSync(join(SAMPLES, 'transcripts.tsv'), 'utf8').trimEnd().split('\n')
  return lines.map(line => {
    const [name, language, , text] = line.split('\t') as [string, string, string, string]
    return { name, language, text, audio: readWav(join(SAMPLES, name)) }
  })
}

function readNames(): Recording[] {
  const { clips } = JSON.parse(readFileSync(join(NAMES, 'names.json'), 'utf8')) as {
    clips: { file: string; language: string; text: string }[]
  }
  return clips.map(({ file, language, text }) => ({
    name: file,
    language,
    text,
    audio: expand(new Int8Array(readFileSync(join(NAMES, file)))),
  }))
}

/** The end of the last frame in which Silero's network hears a voice. */
function findSpeechEnd(network: VoiceNetwork, audio: Int16Array): number {
  const last = byNetwork(network, cutFrames(audio)).findLastIndex(likelihood => likelihood >= IS_VOICE)
  return (last + 1) * VOICE_FRAME_MS
}

/** Silence follows where the recording is shorter. */
function cutAt(audio: Int16Array, samples: number): Int16Array {
  const cut = new Int16Array(samples)
  cut.set(audio.subarray(0, samples))
  return cut
}
