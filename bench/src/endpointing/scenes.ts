// Streams to listen to: utterances of the recordings one after the other, with pauses of 0.3 to 3 s between them.

import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { randomNumbers } from '../engine/random.ts'
import { concatenate, powerOf, type Sound } from './sound.ts'
import { joinNear, SHORTEST_PAUSE_MS, type Speech, trimmed } from './truth.ts'

const LONGEST_PAUSE_MS = 3_000
const UTTERANCES_PER_SCENE = 10
/** All utterances are as loud as each other, so that the noise is as far below each of them as it is said to be. */
const LOUDNESS = 1_500
/** After the last utterance. */
const END_MS = 3_000

export interface Scene {
  readonly sound: Sound
  readonly speech: readonly Speech[]
  /** Of the speech alone, without the pauses. */
  readonly speechPower: number
  /** Where the noise begins, as a part of its length, so that every scene hears other sounds. */
  readonly noiseFrom: number
}

export function makeScenes(recordings: readonly Sound[], utterances: number): Scene[] {
  const clips = recordings
    .map(trimmed)
    .filter(({ speech }) => speech.length > 0)
    .map(({ sound, speech }) => ({ sound: evened(sound), speech }))
  const chosen = Array.from({ length: utterances }, (_, i) => clips[i % clips.length]!)
  const random = randomNumbers(7)
  const places = randomNumbers(11)
  const scenes: Scene[] = []
  for (let at = 0; at < utterances; at += UTTERANCES_PER_SCENE)
    scenes.push({ ...makeScene(chosen.slice(at, at + UTTERANCES_PER_SCENE), random), noiseFrom: places() })
  return scenes
}

function makeScene(
  clips: readonly ReturnType<typeof trimmed>[],
  random: () => number,
): Omit<Scene, 'noiseFrom'> {
  const parts: Sound[] = []
  const speech: Speech[] = []
  let atMs = 0
  const add = (part: Sound) => {
    parts.push(part)
    atMs += part.length / SAMPLES_PER_MS
  }
  add(silence(1_000))
  for (const [i, clip] of clips.entries()) {
    for (const { startMs, endMs } of clip.speech)
      speech.push({ startMs: atMs + startMs, endMs: atMs + endMs })
    add(clip.sound)
    const pauseMs = SHORTEST_PAUSE_MS + random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS)
    add(silence(i === clips.length - 1 ? END_MS : pauseMs))
  }
  return {
    sound: concatenate(parts),
    speech: joinNear(speech),
    speechPower: powerOf(concatenate(clips.map(({ sound }) => sound))),
  }
}

function evened(sound: Sound): Sound {
  const gain = LOUDNESS / Math.sqrt(powerOf(sound))
  return sound.map(sample => sample * gain)
}

function silence(ms: number): Sound {
  return new Float32Array(Math.round(ms) * SAMPLES_PER_MS)
}
