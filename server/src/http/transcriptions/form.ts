// The multipart form of a transcription as it arrives: fields are read, the file is passed on while it comes in. Where the model comes
// after the file, as with many clients, the file has to wait in memory, up to a limit, until the form is complete: what follows it may say
// how it is to be heard.

import { Busboy } from '@fastify/busboy'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyRequest } from 'fastify'

/** Of fields; a prompt may be long. */
const MAX_FIELD_BYTES = 16 * 1024
/** Every phrase to expect is a field of its own. */
const MAX_FIELDS = 256
/** What one request may keep waiting, and all of them together. */
const MAX_WAITING_BYTES = 32 * 2 ** 20
const MAX_ALL_WAITING_BYTES = 256 * 2 ** 20
/** A client that sends nothing for this long has gone. */
const MAX_SILENCE_MS = 30_000

export type Fields = ReadonlyMap<string, readonly string[]>

export interface Form {
  /** Complete when the file has come to its end. */
  readonly fields: Fields
  readonly file: AsyncIterable<Uint8Array>
  /** Resolves when everything has arrived. Stays open where that does not happen. */
  readonly isComplete: Promise<void>
  /** To be called once the request has its answer: what is left of the file is read and dropped. */
  readonly release: () => void
}

let allWaitingBytes = 0

/** Resolves when the file may be heard: its form named `wanted` before it, or is complete. */
export async function readForm(request: FastifyRequest, wanted: string, maxFileBytes: number): Promise<Form> {
  const form = new IncomingForm(request, wanted, maxFileBytes)
  await form.isReady
  return {
    fields: form.fields,
    file: form.bytes(),
    isComplete: form.isComplete,
    release: () => form.letGo(),
  }
}

class IncomingForm {
  readonly fields = new Map<string, string[]>()
  readonly isReady: Promise<void>
  readonly isComplete: Promise<void>
  readonly #wanted: string
  readonly #maxFileBytes: number
  readonly #request: FastifyRequest
  #pieces: Uint8Array[] = []
  #waitingBytes = 0
  #fileBytes = 0
  #hasFile = false
  #isHeard = false
  #hasEnded = false
  #settleComplete!: () => void
  #failure: unknown
  #silence: NodeJS.Timeout | undefined
  #wake: (() => void) | undefined
  #resume: (() => void) | undefined
  #settleReady!: { resolve: () => void; reject: (reason: unknown) => void }

  constructor(request: FastifyRequest, wanted: string, maxFileBytes: number) {
    this.#wanted = wanted
    this.#maxFileBytes = maxFileBytes
    this.#request = request
    this.isReady = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject }
    })
    this.isReady.catch(() => undefined)
    this.isComplete = new Promise(resolve => {
      this.#settleComplete = resolve
    })
    this.#read()
  }

  /** The file, piece by piece. Reading slowly slows the client down. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        for (let piece = this.#take(); piece; piece = this.#take()) yield piece
        if (this.#failure !== undefined) throw this.#failure
        if (this.#hasEnded) return
        this.#resume?.()
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
      }
    } finally {
      this.letGo()
    }
  }

  #read(): void {
    const { raw, headers } = this.#request
    try {
      const parser = new Busboy({
        headers: headers as { 'content-type': string },
        limits: {
          fieldSize: MAX_FIELD_BYTES,
          fields: MAX_FIELDS,
          fileSize: this.#maxFileBytes + 1,
          files: 1,
        },
      })
      parser.on('field', (name, value, _nameCut, valueCut) => this.#field(name, value, valueCut))
      parser.on('file', (name, stream) => this.#file(name, stream))
      // What is beyond a limit would be dropped without a word.
      parser.on('fieldsLimit', () => this.#fail(invalid(`A form can have at most ${MAX_FIELDS} fields.`)))
      parser.on('filesLimit', () => this.#fail(invalid('Send one file per request.')))
      parser.on('error', () => this.#fail(malformed()))
      parser.on('finish', () => this.#complete())
      raw.on('data', () => this.#listen())
      raw.on('aborted', () =>
        this.#fail(new ServiceError('invalid_body', { message: 'The upload broke off.' })),
      )
      raw.pipe(parser)
      this.#listen()
    } catch {
      this.#fail(malformed())
    }
  }

  #field(name: string, value: string, isCut: boolean): void {
    if (isCut) this.#fail(invalid(`${name.slice(0, 40)} is longer than ${MAX_FIELD_BYTES} bytes.`))
    this.fields.set(name, [...(this.fields.get(name) ?? []), value])
  }

  #file(name: string, stream: NodeJS.ReadableStream & { truncated?: boolean }): void {
    // A form that ends inside its file; without a listener this would end the process.
    stream.on('error', () => this.#fail(malformed()))
    if (name !== 'file') {
      this.#fail(
        new ServiceError('unknown_parameter', {
          message: `A file named ${name.slice(0, 40)} is not expected.`,
        }),
      )
      return void stream.resume()
    }
    this.#hasFile = true
    stream.on('data', (piece: Buffer) => this.#piece(piece, stream))
    stream.on('end', () => this.#listen())
    if (this.fields.has(this.#wanted)) this.#ready()
  }

  #piece(piece: Buffer, stream: NodeJS.ReadableStream): void {
    this.#fileBytes += piece.length
    if (this.#fileBytes > this.#maxFileBytes) this.#fail(tooLarge(this.#maxFileBytes))
    // Nobody wants it any more, but the client goes on sending.
    if (this.#failure !== undefined) return
    this.#pieces.push(piece)
    this.#waitingBytes += piece.length
    allWaitingBytes += piece.length
    if (this.#isHeard) {
      stream.pause()
      this.#resume = () => void stream.resume()
      this.#wake?.()
    } else {
      this.#checkRoom()
    }
  }

  #checkRoom(): void {
    if (this.#waitingBytes > MAX_WAITING_BYTES) {
      const size = `${MAX_WAITING_BYTES / 2 ** 20} MiB`
      this.#fail(invalid(`Send ${this.#wanted} before file: a file of more than ${size} cannot wait for it.`))
    } else if (allWaitingBytes > MAX_ALL_WAITING_BYTES) {
      this.#fail(new ServiceError('capacity_exceeded'))
    }
  }

  #take(): Uint8Array | undefined {
    const piece = this.#pieces.shift()
    this.#waitingBytes -= piece?.length ?? 0
    allWaitingBytes -= piece?.length ?? 0
    return piece
  }

  #ready(): void {
    this.#isHeard = true
    this.#settleReady.resolve()
  }

  #complete(): void {
    clearTimeout(this.#silence)
    this.#hasEnded = true
    if (this.#failure === undefined && !this.#hasFile)
      this.#fail(new ServiceError('missing_parameter', { message: 'file is required.' }))
    this.#ready()
    if (this.#failure === undefined) this.#settleComplete()
    this.#wake?.()
  }

  #fail(reason: unknown): void {
    this.#failure ??= reason
    this.letGo()
    this.#settleReady.reject(this.#failure)
    this.#wake?.()
  }

  /** What is still to come is read and dropped, so that the client can finish and read the answer. */
  letGo(): void {
    clearTimeout(this.#silence)
    while (this.#pieces.length > 0) this.#take()
    this.#failure ??= new Error('nobody reads the file any more')
    this.#resume?.()
  }

  #listen(): void {
    clearTimeout(this.#silence)
    if (this.#hasEnded || this.#failure !== undefined) return
    const gone = () => this.#fail(new ServiceError('invalid_body', { message: 'The upload stopped.' }))
    // While the service itself is slow, the client may wait.
    this.#silence = setTimeout(() => (this.#pieces.length > 0 ? this.#listen() : gone()), MAX_SILENCE_MS)
    this.#silence.unref()
  }
}

function tooLarge(maxFileBytes: number): ServiceError {
  const size = `${Math.floor(maxFileBytes / 2 ** 20)} MiB`
  return new ServiceError('file_too_large', { message: `The file is larger than ${size}.` })
}

function malformed(): ServiceError {
  return new ServiceError('invalid_body', { message: 'The body is not a valid multipart form.' })
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_parameter', { message })
}
