// Speech over a telephone line, as a client sends it and the service hears it: 300 to 3,400 Hz, 8,000 samples per second in µ-law, turned into
// 16 kHz by the service's own intake.

import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { MULAW_SAMPLES } from '@sauti/protocol/g711'
import { IncomingAudio } from '@sauti/server/stream/audio/incoming-audio.js'
import { concatenate, type Sound, soundOf } from './sound.ts'

const TAU = 2 * Math.PI
const FULL_SCALE = 32_768
const LOWEST_HZ = 300
const HIGHEST_HZ = 3_400
const LINE_RATE_HZ = 8_000
const STEP = SAMPLE_RATE_HZ / LINE_RATE_HZ
/** On either side of a sample: 4 ms. */
const FILTER_REACH = 64

export function telephone(sound: Sound): Sound {
  const codes = Uint8Array.from(narrowed(highPass(highPass(sound))), toMulaw)
  const line = new IncomingAudio({ encoding: 'mulaw', sampleRateHz: LINE_RATE_HZ, channels: 1 })
  return concatenate([line.push(codes), line.flush()].map(soundOf))
}

/** Without what is below the line's lowest tone; twice is 12 dB per octave. */
function highPass(sound: Sound): Sound {
  const part = 1 - Math.exp((-TAU * LOWEST_HZ) / SAMPLE_RATE_HZ)
  let low = 0
  return sound.map(sample => {
    low += part * (sample - low)
    return sample - low
  })
}

/** At the rate of the line, without what is above its highest tone: those tones would come back as other ones. */
function narrowed(sound: Sound): Sound {
  return Float32Array.from({ length: Math.ceil(sound.length / STEP) }, (_, i) => {
    let sum = 0
    for (let tap = -FILTER_REACH; tap <= FILTER_REACH; tap++)
      sum += LOW_PASS[tap + FILTER_REACH]! * (sound[i * STEP + tap] ?? 0)
    return sum
  })
}

const LOW_PASS = Float32Array.from({ length: 2 * FILTER_REACH + 1 }, (_, i) => {
  const at = i - FILTER_REACH
  const width = (2 * HIGHEST_HZ) / SAMPLE_RATE_HZ
  const sinc = at === 0 ? width : Math.sin(Math.PI * width * at) / (Math.PI * at)
  return sinc * (0.5 + 0.5 * Math.cos((Math.PI * at) / (FILTER_REACH + 1)))
})

const CODES = [...MULAW_SAMPLES].map((value, code) => ({ value, code })).sort((a, b) => a.value - b.value)

/** The code whose value is nearest. */
function toMulaw(sample: number): number {
  const wanted = sample / FULL_SCALE
  let from = 0
  let to = CODES.length - 1
  while (to - from > 1) {
    const middle = (from + to) >> 1
    if (CODES[middle]!.value < wanted) from = middle
    else to = middle
  }
  const isLower = wanted - CODES[from]!.value < CODES[to]!.value - wanted
  return CODES[isLower ? from : to]!.code
}
