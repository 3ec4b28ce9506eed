// What other audio formats cost: CPU time per second of audio, for conversion on the stream and for the process that decodes a file. What
// the recogniser costs comes on top and is the same for all. Needs ffmpeg.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { speech } from '../engine/clips.ts'
import { decodingMs } from './file-cost.ts'
import { conversionMs, OPUS_OPTIONS, opusMs, STREAM_FORMATS } from './stream-cost.ts'

const SECONDS = 120
/** One second costs little more than the start of the process. */
const SHORT_SECONDS = 1
const ROUNDS = 3

const FILE_FORMATS: readonly (readonly [string, ...string[]])[] = [
  ['a.wav'],
  ['a.mp3', '-b:a', '64k'],
  ['a.flac', '-ar', '44100'],
  ['a.ogg', '-c:a', 'libvorbis'],
  ['a.opus', '-b:a', '32k'],
  ['a.webm', '-c:a', 'libopus'],
]

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-formats-'))
  try {
    const [long, short] = [SECONDS, SHORT_SECONDS].map(seconds => writePcm(folder, seconds)) as [
      string,
      string,
    ]
    console.log('on the stream, frames of 20 ms | CPU ms per second of audio')
    for (const format of STREAM_FORMATS)
      report(format.name, (await best(() => conversionMs(long, format))) / SECONDS)
    const packets = convert(long, join(folder, 'packets'), OPUS_OPTIONS)
    report('opus, 24 kbit/s, with its thread', (await best(() => opusMs(packets))) / SECONDS)
    console.log('a file, the process that decodes it | CPU ms per second of audio | CPU ms for its start')
    for (const [name, ...options] of FILE_FORMATS) {
      const start = await best(() => decodingMs(convert(short, join(folder, `short-${name}`), options)))
      const whole = await best(() => decodingMs(convert(long, join(folder, name), options)))
      report(name, (whole - start) / (SECONDS - SHORT_SECONDS), start)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The cheapest round: whatever else runs on the machine only ever adds. */
async function best(measure: () => number | Promise<number>): Promise<number> {
  const rounds: number[] = []
  while (rounds.length < ROUNDS) rounds.push(await measure())
  return Math.min(...rounds)
}

function report(name: string, perSecond: number, start?: number): void {
  const cells = [name, perSecond.toFixed(2), ...(start === undefined ? [] : [start.toFixed(0)])]
  console.log(cells.join(' | '))
}

function writePcm(folder: string, seconds: number): string {
  const path = join(folder, `${seconds}.pcm`)
  writeFileSync(path, new Uint8Array(speech(seconds * 16_000).buffer))
  return path
}

function convert(pcm: string, to: string, options: readonly string[]): string {
  const input = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', pcm]
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...input, ...options, to])
  return to
}
