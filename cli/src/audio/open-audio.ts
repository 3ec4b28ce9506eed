// From what the user names to the audio of the wire: a file of any format, raw PCM from a pipe, or the microphone.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { PassThrough, type Readable } from 'node:stream'
import { createResampler, floatToPcm16 } from '@sauti/client'
import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { ByteReader } from './byte-reader.ts'
import { decodeFile, decodePipe, probeDurationMs, recordMicrophone } from './ffmpeg.ts'
import { InputError } from './input-error.ts'
import { HEAD_BYTES, recogniseFormat } from './known-formats.ts'
import { readWav, type Wav } from './wav.ts'

export interface Audio {
  readonly name: string
  /** Known for most files; unknown for what is still being recorded. */
  readonly durationMs: number | undefined
  /** Arrives at the speed of speech, so it must be sent at once. */
  readonly isLive: boolean
  /** Comes at the pace of speech, so the service can tell where somebody stops. A pipe may be faster. */
  readonly isSpoken?: boolean
  /** Ends it here, for what has no end of its own; what came until then is still read. */
  readonly stop?: () => void
  /** Mono 16 kHz PCM16. */
  readonly pcm: AsyncIterable<Int16Array>
}

const RAW_PIECE_BYTES = 3_200

export interface RawFormat {
  readonly rateHz: number
}

export async function openFile(path: string, raw?: RawFormat): Promise<Audio> {
  await checkFile(path)
  const reader = new ByteReader(createReadStream(path))
  if (raw) {
    const pcm = toWire({ sampleRateHz: raw.rateHz, samples: readRaw(reader) })
    return { name: path, durationMs: undefined, isLive: false, pcm }
  }
  const isWav = recogniseFormat(await reader.peek(HEAD_BYTES)) === 'wav'
  const wav = isWav ? await readWav(reader) : undefined
  if (wav) return { name: path, durationMs: wav.durationMs, isLive: false, pcm: toWire(wav) }
  await reader.close()
  const durationMs = await probeDurationMs(path)
  return { name: path, durationMs, isLive: false, pcm: decodeToWire(decodeFile(path)) }
}

/** Sound of any format from a pipe; raw PCM only where it was asked for, because any bytes can be raw PCM. */
export async function openPipe(input: Readable, raw: RawFormat | undefined): Promise<Audio> {
  const pipe = input.pipe(new PassThrough())
  const stop = () => {
    input.unpipe(pipe)
    input.destroy()
    pipe.end()
  }
  const pcm = await readPipe(new ByteReader(pipe), raw)
  return { name: '-', durationMs: undefined, isLive: true, stop, pcm }
}

async function readPipe(reader: ByteReader, raw: RawFormat | undefined): Promise<AsyncIterable<Int16Array>> {
  if (raw) return toWire({ sampleRateHz: raw.rateHz, samples: readRaw(reader) })
  const head = await reader.peek(HEAD_BYTES)
  switch (recogniseFormat(head)) {
    case 'wav': {
      const wav = await readWav(reader)
      if (!wav) throw new InputError('compressed WAV cannot be read from a pipe; pass it as a file')
      return toWire(wav)
    }
    case 'other':
      return decodeToWire(decodePipe(reader.rest()))
    case 'unknown':
      if (head.length === 0) throw new InputError('it is empty')
      throw new InputError('unknown audio format; for raw PCM (mono, 16 bits) add --raw')
  }
}

/** Returns once the microphone gives sound, so that nobody is asked to speak into one that cannot be used. */
export async function openMicrophone(): Promise<Audio> {
  const over = new AbortController()
  const stop = () => over.abort()
  const reader = new ByteReader(recordMicrophone(SAMPLE_RATE_HZ, over.signal))
  if ((await reader.peek(1)).length === 0)
    throw new InputError('the recorder stopped before it gave any sound')
  const pcm = toWire({ sampleRateHz: SAMPLE_RATE_HZ, samples: readRaw(reader) })
  return { name: 'microphone', durationMs: undefined, isLive: true, isSpoken: true, stop, pcm }
}

async function checkFile(path: string): Promise<void> {
  const status = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    const reasons: Record<string, string> = { ENOENT: 'no such file', EACCES: 'permission denied' }
    throw new InputError(reasons[cause.code ?? ''] ?? cause.message, cause)
  })
  if (status.isDirectory()) throw new InputError('it is a folder')
}

async function* decodeToWire(decoded: AsyncIterable<Buffer>): AsyncGenerator<Int16Array> {
  const reader = new ByteReader(decoded)
  if (recogniseFormat(await reader.peek(HEAD_BYTES)) !== 'wav') throw new InputError('it contains no audio')
  const wav = await readWav(reader)
  if (wav) yield* toWire(wav)
}

async function* toWire({
  sampleRateHz,
  samples,
}: Pick<Wav, 'sampleRateHz' | 'samples'>): AsyncGenerator<Int16Array> {
  const resampler = createResampler(sampleRateHz, SAMPLE_RATE_HZ)
  for await (const piece of samples) yield floatToPcm16(resampler.push(piece))
  yield floatToPcm16(resampler.flush())
}

async function* readRaw(reader: ByteReader): AsyncGenerator<Float32Array> {
  for (;;) {
    const bytes = await reader.read(RAW_PIECE_BYTES)
    if (bytes.length < 2) return
    yield Float32Array.from({ length: bytes.length >> 1 }, (_, n) => bytes.readInt16LE(n * 2) / 32_768)
  }
}
