// Bytes or samples as a caller has them, into samples. A byte that is half a sample waits for its other half.

import { type Pcm, pcmBytes } from '../audio/pcm.ts'

export class SampleReader {
  #half: number | undefined

  read(pcm: Pcm): Int16Array {
    if (pcm instanceof Int16Array && this.#half === undefined) return pcm
    const bytes = this.#complete(pcmBytes(pcm))
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return Int16Array.from({ length: bytes.byteLength >> 1 }, (_, index) => view.getInt16(index * 2, true))
  }

  #complete(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const whole = this.#half === undefined ? bytes : Uint8Array.from([this.#half, ...bytes])
    this.#half = whole.byteLength % 2 === 1 ? whole.at(-1) : undefined
    return whole
  }
}
