// What a file or a pipe holds, by its first bytes: names say nothing about pipes, and little about files.

export type SoundFormat = 'wav' | 'other' | 'unknown'

/** Enough bytes to recognise a format. */
export const HEAD_BYTES = 16

type Test = (head: Buffer) => boolean

const startsWith =
  (text: string, at = 0): Test =>
  head =>
    head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))

const isWav: Test = head =>
  (startsWith('RIFF')(head) || startsWith('RF64')(head)) && startsWith('WAVE', 8)(head)

/** Formats that ffmpeg or the service decodes. */
const OTHERS: readonly Test[] = [
  startsWith('ID3'),
  // A frame of MPEG audio or AAC: eleven bits of synchronisation.
  head => head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0 && head[1] !== 0xff,
  startsWith('OggS'),
  startsWith('fLaC'),
  startsWith('ftyp', 4),
  startsWith('\x1a\x45\xdf\xa3'),
  startsWith('FORM'),
  startsWith('caff'),
  startsWith('#!AMR'),
  startsWith('.snd'),
  startsWith('wvpk'),
  // ASF: Windows Media.
  startsWith('\x30\x26\xb2\x75'),
  // A RIFF that is not WAVE, such as AVI.
  startsWith('RIFF'),
]

export function recogniseFormat(head: Buffer): SoundFormat {
  if (isWav(head)) return 'wav'
  return OTHERS.some(test => test(head)) ? 'other' : 'unknown'
}
