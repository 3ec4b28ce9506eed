// Cuts the bytes of a PostgreSQL client into batches that the backend can answer in one go. Pure.
// Protocol: https://www.postgresql.org/docs/current/protocol-message-formats.html

export type Batch =
  | { readonly type: 'refuse-encryption' }
  | { readonly type: 'startup' }
  /** Whole messages that end in Query, Sync or Flush: what the client now waits for an answer to. */
  | { readonly type: 'messages'; readonly messages: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'malformed'; readonly reason: string }

const PROTOCOL_3 = 196_608
const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
const CANCEL_REQUEST = 80_877_102

const QUERY = 0x51
const SYNC = 0x53
const FLUSH = 0x48
const TERMINATE = 0x58

const MAX_BATCH_BYTES = 64 * 1024 * 1024

export class BatchReader {
  #pending: Buffer = Buffer.alloc(0)
  #started = false
  #ended = false
  /** Bytes of whole messages at the head of `#pending` that do not end a batch yet. */
  #scanned = 0

  read(data: Uint8Array): Batch[] {
    this.#pending = this.#pending.length === 0 ? Buffer.from(data) : Buffer.concat([this.#pending, data])
    const batches: Batch[] = []
    for (let batch = this.#next(); batch; batch = this.#next()) batches.push(batch)
    return batches
  }

  #next(): Batch | undefined {
    if (this.#ended) return undefined
    if (this.#pending.length > MAX_BATCH_BYTES) return this.#fail('message too large')
    return this.#started ? this.#nextMessages() : this.#nextStartup()
  }

  /** Before the session starts a message has no type byte: length, then a code. */
  #nextStartup(): Batch | undefined {
    if (this.#pending.length < 8) return undefined
    const length = this.#pending.readInt32BE(0)
    if (length < 8 || length > 10_000) return this.#fail('malformed startup packet')
    if (this.#pending.length < length) return undefined
    const code = this.#pending.readInt32BE(4)
    this.#take(length)
    if (code === SSL_REQUEST || code === GSS_REQUEST) return { type: 'refuse-encryption' }
    if (code === CANCEL_REQUEST) return this.#end()
    if (code >> 16 !== PROTOCOL_3 >> 16) return this.#fail('unsupported protocol version')
    this.#started = true
    return { type: 'startup' }
  }

  #nextMessages(): Batch | undefined {
    while (this.#pending.length >= this.#scanned + 5) {
      const type = this.#pending[this.#scanned]
      const length = this.#pending.readInt32BE(this.#scanned + 1)
      if (length < 4) return this.#fail('malformed message')
      if (this.#pending.length < this.#scanned + 1 + length) return undefined
      if (type === TERMINATE) return this.#end()
      this.#scanned += 1 + length
      if (type === QUERY || type === SYNC || type === FLUSH) {
        return { type: 'messages', messages: this.#take(this.#scanned) }
      }
    }
    return undefined
  }

  #take(length: number): Buffer {
    const taken = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    this.#scanned = 0
    return taken
  }

  #end(): Batch {
    this.#ended = true
    return { type: 'end' }
  }

  #fail(reason: string): Batch {
    this.#ended = true
    return { type: 'malformed', reason }
  }
}

/** An ErrorResponse that ends the connection. */
export function fatalError(sqlState: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${sqlState}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, fields])
}

/** What a client says first. */
export function startupMessage(user: string, database: string): Buffer {
  const parameters = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + parameters.length, 0)
  head.writeInt32BE(PROTOCOL_3, 4)
  return Buffer.concat([head, parameters])
}

/** A simple query. */
export function queryMessage(sql: string): Buffer {
  const text = Buffer.from(`${sql}\0`)
  const head = Buffer.alloc(5)
  head.write('Q')
  head.writeInt32BE(4 + text.length, 1)
  return Buffer.concat([head, text])
}
