// Where the utterances are heard, and what is heard where nobody speaks.

import { SAMPLE_RATE_HZ, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { breath, disturb, hiss, music } from './disturbances.ts'
import { choose, type Half, listKinds, readSound, takeHalf } from './recordings.ts'
import type { Scene } from './scenes.ts'
import { concatenate, type Sound } from './sound.ts'
import { telephone } from './telephone.ts'

const SEED = 3
/** A piece of each disturbance, repeated as often as needed. */
const DISTURBANCE_SECONDS = 60
/** Kinds of recorded sound that last, and sounds that people make without words; the names are those of ESC-50. */
const STEADY = [
  ...[
    'rain',
    'wind',
    'sea_waves',
    'engine',
    'train',
    'airplane',
    'helicopter',
    'vacuum_cleaner',
    'washing_machine',
  ],
  ...['crackling_fire', 'crickets', 'insects', 'pouring_water', 'keyboard_typing', 'clock_tick', 'footsteps'],
]
const BREATH = ['breathing', 'snoring']
const COUGHS = ['coughing', 'sneezing', 'laughing', 'crying_baby']

export interface Condition {
  readonly name: string
  readonly place: (scene: Scene) => Sound
}

/** Sounds to disturb with; without a folder they are made here. */
export interface Recordings {
  readonly folder: string | undefined
  readonly half: Half | undefined
}

export interface Quiet {
  readonly name: string
  readonly sound: Sound
}

export function speakingConditions(recordings: Recordings): Condition[] {
  const noise = recorded(recordings, STEADY) ?? hiss(DISTURBANCE_SECONDS, SEED)
  const breaths = recorded(recordings, BREATH) ?? breath(DISTURBANCE_SECONDS, SEED)
  const band = music(DISTURBANCE_SECONDS, SEED)
  const beside = (other: Sound, belowDb: number) => (scene: Scene) => disturb(scene, other, belowDb)
  return [
    { name: 'noise 30 dB', place: beside(noise, 30) },
    { name: 'noise 20 dB', place: beside(noise, 20) },
    { name: 'noise 10 dB', place: beside(noise, 10) },
    { name: 'music 10 dB', place: beside(band, 10) },
    { name: 'breath 15 dB', place: beside(breaths, 15) },
    { name: 'telephone, noise 20 dB', place: scene => telephone(beside(noise, 20)(scene)) },
  ]
}

/** Sound without words; at the level of speech. */
export function wordlessSounds(recordings: Recordings): Quiet[] {
  const coughs = recorded(recordings, COUGHS)
  return [
    { name: 'silence', sound: new Float32Array(DISTURBANCE_SECONDS * SAMPLE_RATE_HZ) },
    { name: 'noise', sound: recorded(recordings, STEADY) ?? hiss(DISTURBANCE_SECONDS, SEED) },
    { name: 'music', sound: music(DISTURBANCE_SECONDS, SEED) },
    { name: 'breath', sound: recorded(recordings, BREATH) ?? breath(DISTURBANCE_SECONDS, SEED) },
    ...(coughs ? [{ name: 'coughs, laughter, babies', sound: coughs }] : []),
  ]
}

function recorded({ folder, half }: Recordings, kinds: readonly string[]): Sound | undefined {
  if (folder === undefined) return undefined
  const chosen = takeHalf(listKinds(folder, kinds), half, ({ source }) => source)
  const found = choose(chosen, chosen.length, SEED).map(({ path }) => readSound(path))
  return concatenate(found.map(evened))
}

/** All recordings about as loud as each other. */
function evened(sound: Sound): Sound {
  const loudest = sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1)
  return sound.map(sample => (sample * 8_000) / loudest)
}

export function minutesOf(sound: Sound): number {
  return sound.length / SAMPLES_PER_MS / 60_000
}
