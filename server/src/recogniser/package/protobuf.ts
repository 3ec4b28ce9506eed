// Reads protocol-buffer fields straight from a file, skipping what is not needed: an ONNX file is mostly weights, and a large
// model must be inspected without loading them.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const BUFFER_BYTES = 64 * 1024
const WIRE_VARINT = 0
const WIRE_FIXED64 = 1
const WIRE_BYTES = 2
const WIRE_FIXED32 = 5

/** One field of a message: a number, or bytes from `start` to `end` of the file. */
export interface Field {
  readonly number: number
  readonly value: number
  readonly start: number
  readonly end: number
}

export class ProtobufFile {
  readonly size: number
  readonly #descriptor: number
  readonly #buffer = Buffer.alloc(BUFFER_BYTES)
  #bufferStart = 0
  #bufferLength = 0
  #at = 0

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r')
    this.size = fstatSync(this.#descriptor).size
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  /** The fields of the message that lies between `start` and `end`. */
  *fields(start = 0, end = this.size): Generator<Field> {
    let at = start
    while (at < end) {
      this.#at = at
      const field = this.#readField()
      if (field.end > end) throw new Error('a field reaches past the end of its message')
      yield field
      at = field.end
    }
  }

  /** The fields of this number in the message that a field holds. */
  *within(message: Field, number: number): Generator<Field> {
    for (const field of this.fields(message.start, message.end)) if (field.number === number) yield field
  }

  bytes(field: Field): Buffer {
    return this.#read(field.start, field.end - field.start)
  }

  text(field: Field): string {
    return this.bytes(field).toString('utf8')
  }

  /** The first text of this number in the message that a field holds. */
  textWithin(message: Field, number: number): string {
    for (const field of this.within(message, number)) return this.text(field)
    return ''
  }

  #readField(): Field {
    const tag = this.#readVarint()
    const number = Math.floor(tag / 8)
    if (number === 0) throw new Error('not a protocol-buffer message')
    switch (tag % 8) {
      case WIRE_VARINT: {
        const value = this.#readVarint()
        return { number, value, start: this.#at, end: this.#at }
      }
      case WIRE_BYTES: {
        const length = this.#readVarint()
        return { number, value: length, start: this.#at, end: this.#at + length }
      }
      case WIRE_FIXED64:
        return { number, value: 0, start: this.#at, end: this.#at + 8 }
      case WIRE_FIXED32:
        return { number, value: 0, start: this.#at, end: this.#at + 4 }
      default:
        throw new Error('not a protocol-buffer message')
    }
  }

  /** Values above 2^53 lose their low bits; none that we read is that large. */
  #readVarint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#readByte()
      value += (byte & 127) * scale
      if (byte < 128) return value
      if (scale > 2 ** 63) throw new Error('not a protocol-buffer message')
    }
  }

  #readByte(): number {
    const at = this.#at++
    if (at < this.#bufferStart || at >= this.#bufferStart + this.#bufferLength) this.#fill(at)
    return this.#buffer[at - this.#bufferStart]!
  }

  #fill(at: number): void {
    this.#bufferStart = at
    this.#bufferLength = readSync(this.#descriptor, this.#buffer, 0, BUFFER_BYTES, at)
    if (this.#bufferLength === 0) throw new Error('the file ends too early')
  }

  #read(start: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    if (readSync(this.#descriptor, bytes, 0, length, start) < length)
      throw new Error('the file ends too early')
    return bytes
  }
}
