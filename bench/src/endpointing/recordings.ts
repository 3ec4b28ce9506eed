// Recordings of a folder: WAVE with 16 kHz as it is, everything else by ffmpeg. A `manifest.tsv` with the columns `file` and `text` says what each
// sound is.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { readWav } from '../engine/clips.ts'
import { randomNumbers } from '../engine/random.ts'
import { type Sound, soundOf } from './sound.ts'

const AUDIO = new Set(['.wav', '.opus', '.ogg', '.flac', '.mp3', '.m4a'])

export function readSound(path: string): Sound {
  if (extname(path) === '.wav') return Float32Array.from(readWav(path))
  const raw = execFileSync(
    'ffmpeg',
    ['-nostdin', '-v', 'error', '-i', path, '-ac', '1', '-ar', `${SAMPLE_RATE_HZ}`, '-f', 's16le', 'pipe:1'],
    { maxBuffer: 2 ** 28 },
  )
  return soundOf(raw)
}

export function listRecordings(folder: string): string[] {
  return readdirSync(folder)
    .filter(name => AUDIO.has(extname(name)))
    .sort()
    .map(name => join(folder, name))
}

/** Up to this many, the same ones in every run. */
export function choose<T>(from: readonly T[], count: number, seed: number): T[] {
  const random = randomNumbers(seed)
  const left = [...from]
  const chosen: T[] = []
  while (chosen.length < count && left.length > 0)
    chosen.push(left.splice(Math.floor(random() * left.length), 1)[0]!)
  return chosen
}

/** Rules are chosen on one half of the recordings, and reported on the other one. */
export type Half = 'choose' | 'report'

/** All where no half is asked for. What has the same source is in the same half: parts of one recording are too much like each other. */
export function takeHalf<T>(all: readonly T[], half: Half | undefined, sourceOf: (one: T) => string): T[] {
  if (half === undefined) return [...all]
  const sources = [...new Set(all.map(sourceOf))].sort()
  const taken = new Set(sources.filter((_, i) => i % 2 === (half === 'choose' ? 0 : 1)))
  return all.filter(one => taken.has(sourceOf(one)))
}

interface Recording {
  readonly path: string
  readonly source: string
}

/** Recordings whose text is one of these; all where the folder does not say what they are. */
export function listKinds(folder: string, kinds: readonly string[]): Recording[] {
  const manifest = join(folder, 'manifest.tsv')
  if (!existsSync(manifest)) return listRecordings(folder).map(path => ({ path, source: path }))
  const [header, ...lines] = readFileSync(manifest, 'utf8').trimEnd().split('\n')
  const columns = header!.split('\t')
  const cell = (cells: readonly string[], column: string) => cells[columns.indexOf(column)]
  return lines
    .map(line => line.split('\t'))
    .filter(cells => kinds.includes(cell(cells, 'text')!))
    .map(cells => ({
      path: join(folder, cell(cells, 'file')!),
      source: withoutTake(cell(cells, 'speaker') ?? cell(cells, 'file')!),
    }))
}

/** ESC-50 names what was cut out of one recording 1-100032-A, 1-100032-B. */
function withoutTake(name: string): string {
  return name.replace(/-[A-Z]$/, '')
}
