// What was sent, kept in the page's memory so that it can be played again in step with the words. It never leaves the page.

import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'

const HEADER_BYTES = 44

export class Recording {
  readonly #pieces: Int16Array<ArrayBuffer>[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  add(pcm: Int16Array): void {
    this.#pieces.push(new Int16Array(pcm))
    this.#length += pcm.length
  }

  toWav(): Blob {
    return new Blob([wavHeader(this.#length * 2), ...this.#pieces], { type: 'audio/wav' })
  }
}

function wavHeader(dataBytes: number): ArrayBuffer {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES))
  const write = (at: number, text: string) => {
    for (const [index, letter] of [...text].entries()) header.setUint8(at + index, letter.charCodeAt(0))
  }
  write(0, 'RIFF')
  header.setUint32(4, HEADER_BYTES - 8 + dataBytes, true)
  write(8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true)
  header.setUint16(22, 1, true)
  header.setUint32(24, SAMPLE_RATE_HZ, true)
  header.setUint32(28, SAMPLE_RATE_HZ * 2, true)
  header.setUint16(32, 2, true)
  header.setUint16(34, 16, true)
  write(36, 'data')
  header.setUint32(40, dataBytes, true)
  return header.buffer
}
