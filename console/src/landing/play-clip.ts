// One clip: sound, waveform and transcript start together, and end together when somebody stops it.

import type { SampleClip } from '@sauti/protocol/console'
import { t } from '../texts/texts.ts'
import { transcribeClip } from './transcribe-clip.ts'

export interface Played {
  readonly clip: SampleClip
  readonly text: string
  readonly state: 'speaking' | 'done' | 'failed'
  /** Loudness of equal parts of the clip, 0 to 1; empty until the sound was read. */
  readonly peaks: readonly number[]
  readonly sound: HTMLAudioElement
}

const BARS = 72
const WAV_HEADER_BYTES = 44

export function playClip(clip: SampleClip, show: (played: Played) => void): () => void {
  const ended = new AbortController()
  const sound = new Audio()
  let now: Played = { clip, text: '', state: 'speaking', peaks: [], sound }
  const update = (change: Partial<Played>) => {
    if (ended.signal.aborted) return
    now = { ...now, ...change }
    show(now)
  }
  update({})
  loadSound(clip, sound, ended.signal).then(peaks => update({ peaks }), ignoreSilence)
  transcribeClip(
    clip.transcript_url,
    {
      onText: text => update({ text }),
      onFinal: text => update({ text: text || t('demo.nothing'), state: 'done' }),
    },
    ended.signal,
  ).catch((error: Error) => {
    sound.pause()
    update({ text: error.message, state: 'failed' })
  })
  return () => {
    sound.pause()
    ended.abort()
  }
}

/** Without sound the text still comes. */
const ignoreSilence = () => undefined

async function loadSound(clip: SampleClip, sound: HTMLAudioElement, signal: AbortSignal): Promise<number[]> {
  const bytes = await (await fetch(clip.audio_url, { signal })).arrayBuffer()
  sound.src = URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' }))
  sound.play().catch(ignoreSilence)
  return peaksOf(new Int16Array(bytes.slice(WAV_HEADER_BYTES, bytes.byteLength - (bytes.byteLength % 2))))
}

function peaksOf(samples: Int16Array): number[] {
  const size = Math.ceil(samples.length / BARS)
  const loudest = Array.from({ length: BARS }, (_, bar) =>
    samples
      .subarray(bar * size, (bar + 1) * size)
      .reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0),
  )
  const top = Math.max(...loudest, 1)
  return loudest.map(peak => peak / top)
}
