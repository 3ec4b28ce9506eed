// From the bytes of a file to its sound: the container is recognised by its first bytes, its first audio track is split into frames,
// and each is decoded.

import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import {
  ADTS,
  EncodedPacketSink,
  FLAC,
  Input,
  type InputAudioTrack,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  ReadableStreamSource,
  WAVE,
  WEBM,
} from 'mediabunny'
import type { Decoded, TrackConfig } from './codec-types.ts'
import { openCodec } from './codecs.ts'
import type { DecodingProblem } from './decoder-messages.ts'

/** How much of a file may have to be kept in memory: an MP4 file may have its index, without which nothing can be read, at its end. */
const MAX_KEPT_BYTES = 64 * 2 ** 20
const FORMATS = [WAVE, MP3, MP4, QTFF, FLAC, OGG, WEBM, MATROSKA, ADTS]
const HEAD_BYTES = 64

export class SoundError extends Error {
  readonly problem: DecodingProblem

  constructor(problem: DecodingProblem, message?: string) {
    super(message)
    this.problem = problem
  }
}

export async function* readSound(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Decoded> {
  const { head, whole } = await peek(bytes)
  if (head.length === 0) throw new SoundError('undecodable_audio', 'The file is empty.')
  if (isOggVorbis(head)) yield* readOggVorbis(whole)
  else yield* readContainer(whole)
}

async function* readContainer(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Decoded> {
  const source = new ReadableStreamSource(bytes, { maxCacheSize: MAX_KEPT_BYTES })
  const track = await findTrack(new Input({ formats: FORMATS, source }))
  const decode = await openCodec(await describe(track))
  if (!decode) throw new SoundError('unsupported_audio', undecodedText(track.codec))
  for await (const { data } of new EncodedPacketSink(track).packets()) yield await decode(data)
}

/** AAC is most likely a recording of a telephone, and an operator can do something about it. */
function undecodedText(codec: string | null): string {
  return codec === 'aac'
    ? 'This service has no decoder for AAC (M4A, MP4). Send WAV, MP3, FLAC, Ogg or WebM, or ask its operator to install @audio/decode-aac.'
    : `Sound of the kind ${codec} is not decoded here. Send WAV, MP3, FLAC, Ogg or WebM.`
}

async function findTrack(input: Input): Promise<InputAudioTrack> {
  if (!(await input.canRead())) throw new SoundError('unsupported_audio')
  const track = await input.getPrimaryAudioTrack()
  if (!track) throw new SoundError('undecodable_audio', 'The file contains no audio.')
  return track
}

async function describe(track: InputAudioTrack): Promise<TrackConfig> {
  const config = await track.getDecoderConfig()
  const codec = track.codec ?? 'an unknown codec'
  const { sampleRate = 0, numberOfChannels = 0, description } = config ?? {}
  return { codec, sampleRate, numberOfChannels, description: description && toBytes(description) }
}

function toBytes(source: ArrayBufferLike | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)
}

/** The Vorbis decoder reads its own container. */
async function* readOggVorbis(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Decoded> {
  const decoder = new OggVorbisDecoder()
  await decoder.ready
  for await (const piece of bytes) yield await decoder.decode(piece)
  yield await decoder.flush()
}

function isOggVorbis(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('latin1')
  return text.startsWith('OggS') && text.includes('\x01vorbis')
}

/** The first bytes, and the stream as if nobody had looked. */
async function peek(bytes: ReadableStream<Uint8Array>) {
  const reader = bytes.getReader()
  const first: Uint8Array[] = []
  for (let length = 0; length < HEAD_BYTES; ) {
    const { value, done } = await reader.read()
    if (done) break
    first.push(value)
    length += value.byteLength
  }
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = first.length > 0 ? { value: first.shift(), done: false } : await reader.read()
      if (value) controller.enqueue(value)
      if (done) controller.close()
    },
    cancel: reason => reader.cancel(reason),
  })
  return { head: Buffer.concat(first).subarray(0, HEAD_BYTES), whole }
}
