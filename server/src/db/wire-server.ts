// The server of the embedded database: PostgreSQL's wire protocol on a Unix socket, for this process and for the operator's
// commands. There is one backend, so a connection has it to itself from its first message until it is idle again: between
// Parse and Sync, and for a whole transaction. Session state (SET, named statements, session locks) is shared: use none.
// By hand, because pglite-socket lets the messages of two connections mix between Parse and Sync.

import { chmodSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { type Batch, BatchReader, fatalError } from './wire-messages.ts'

/** A client that sleeps inside a transaction keeps everyone out; PostgreSQL has the same time-out, off by default. */
const IDLE_IN_TRANSACTION_MS = 10_000
const MAX_CONNECTIONS = 200

export interface Backend {
  /** What PostgreSQL says to a new connection, up to ready for query. */
  readonly greeting: Uint8Array
  execute(messages: Uint8Array, onData: (data: Uint8Array) => void): void
  rollback(): void
  isInTransaction(): boolean
}

const OWNER_ONLY = 0o600

export class WireServer {
  readonly #backend: Backend
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #waiting: { readonly socket: Socket; readonly messages: Uint8Array }[] = []
  /** Whose transaction is open. */
  #holder: Socket | undefined
  #holderTimer: NodeJS.Timeout | undefined

  constructor(backend: Backend) {
    this.#backend = backend
    this.#server = createServer(socket => this.#accept(socket))
  }

  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      // Only the folder keeps others out until the mode is set, and not every umask is strict.
      this.#server.listen(path, () => {
        chmodSync(path, OWNER_ONLY)
        resolve()
      })
    })
  }

  /** Takes no new connections, gives those that are open `graceMs` to finish, then cuts them off. */
  async stop(graceMs: number): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) refuse(socket, '57P01', 'the database is shutting down')
    }, graceMs)
    await closed
    clearTimeout(cut)
  }

  /** Runs work of the database's own when no transaction is open, and tells whether it did. */
  runBetween(work: () => void): boolean {
    if (this.#holder !== undefined) return false
    work()
    return true
  }

  #accept(socket: Socket): void {
    // Every error is followed by close, where the cleaning up is done.
    socket.on('error', () => socket.destroy())
    if (this.#sockets.size >= MAX_CONNECTIONS) {
      refuse(socket, '53300', 'too many connections to the embedded database')
      return
    }
    this.#sockets.add(socket)
    const reader = new BatchReader()
    socket.on('data', data => this.#receive(socket, reader.read(data)))
    socket.on('close', () => this.#leave(socket))
  }

  #receive(socket: Socket, batches: readonly Batch[]): void {
    for (const batch of batches) {
      if (batch.type === 'refuse-encryption') socket.write('N')
      else if (batch.type === 'startup') socket.write(this.#backend.greeting)
      else if (batch.type === 'end') socket.end()
      else if (batch.type === 'malformed') refuse(socket, '08P01', batch.reason)
      else this.#waiting.push({ socket, messages: batch.messages })
    }
    this.#work()
  }

  #work(): void {
    for (let next = this.#takeNext(); next; next = this.#takeNext()) {
      const { socket, messages } = next
      if (socket.destroyed) continue
      clearTimeout(this.#holderTimer)
      this.#backend.execute(messages, data => socket.write(Buffer.from(data)))
      this.#holder = this.#backend.isInTransaction() ? socket : undefined
      if (this.#holder) this.#limitIdleTime(this.#holder)
    }
  }

  /** First come, first served; while a transaction is open only its own connection. */
  #takeNext() {
    const index = this.#holder ? this.#waiting.findIndex(one => one.socket === this.#holder) : 0
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0]
  }

  #limitIdleTime(holder: Socket): void {
    this.#holderTimer = setTimeout(
      () => refuse(holder, '25P03', 'terminating connection due to idle-in-transaction timeout'),
      IDLE_IN_TRANSACTION_MS,
    )
  }

  #leave(socket: Socket): void {
    this.#sockets.delete(socket)
    this.#waiting = this.#waiting.filter(one => one.socket !== socket)
    if (this.#holder !== socket) return
    clearTimeout(this.#holderTimer)
    this.#backend.rollback()
    this.#holder = undefined
    this.#work()
  }
}

function refuse(socket: Socket, sqlState: string, message: string): void {
  socket.end(fatalError(sqlState, message), () => socket.destroy())
}
