// The stream part as a whole: takes upgrade requests of the HTTP server, runs their connections, and ends them all.

import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { closeCode, ServiceError } from '@sauti/protocol/errors'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { answerBareSocket } from '../bare-answer.ts'
import { type AddressReader, addressGroup, createAddressReader } from '../client-address.ts'
import type { Queryable } from '../db/port.ts'
import type { Recogniser } from '../recogniser/port.ts'
import type { CredentialClaims } from '../sessions/credential.ts'
import { type OpenSession, redeemSession } from '../sessions/redeem.ts'
import { Connection, type ConnectionParts } from './connection.ts'
import { drain, endsWithin } from './drain.ts'
import { FailureLimit } from './failure-limit.ts'
import { Journal } from './journal.ts'
import { type Keepalive, startKeepalive } from './keepalive.ts'
import { createStreamMetrics, type StreamGauges, type StreamMetrics } from './metrics.ts'
import type { Repetition } from './repeat.ts'
import { watchRevocations } from './revocation.ts'
import { SETTLE_PATIENCE_MS, type StreamSettings } from './settings.ts'
import { type Settlements, startSettlements } from './settlement.ts'
import { createSocketServer, type StreamSocket } from './socket.ts'
import { climbLadder, type UpgradeGuards } from './upgrade.ts'

const BAD_CREDENTIAL_CLOSE = 4401

export interface StreamParts {
  readonly db: Queryable
  readonly recogniser: Recogniser
  readonly credentialKey: Buffer
  readonly nodeId: string
  /** Where settlements that the database has not taken yet are written down. */
  readonly journalPath: string
  readonly settings: StreamSettings
  readonly isDraining: () => boolean
  readonly metrics: Registry
  readonly log: Logger
  readonly clock: () => Date
  readonly monotonicMs: () => number
  readonly newId: () => string
}

/** What an upgrade request turned into. */
interface Arrival {
  readonly socket: StreamSocket
  readonly claims: CredentialClaims | undefined
  readonly address: string
  readonly requestId: string
}

export class StreamServer {
  readonly #parts: StreamParts
  readonly #running = new Set<Connection>()
  /** Outlive their connections by the closing handshake. */
  readonly #open = new Set<StreamSocket>()
  readonly #changes = new EventEmitter()
  readonly #sockets: ReturnType<typeof createSocketServer>
  readonly #requestIds = new WeakMap<IncomingMessage, string>()
  readonly #guards: UpgradeGuards
  readonly #keepalive: Keepalive
  readonly #metrics: StreamMetrics
  readonly #connectionParts: ConnectionParts
  readonly #revocations: Repetition
  readonly #settlements: Settlements
  readonly #readAddress: AddressReader
  /** Accepted, and the database has not yet said whether they open a session. */
  #handshakes = 0

  private constructor(parts: StreamParts, settlements: Settlements) {
    this.#parts = parts
    this.#settlements = settlements
    this.#readAddress = createAddressReader(parts.settings.trustedProxies)
    this.#sockets = createSocketServer(request => this.#requestIds.get(request))
    this.#keepalive = startKeepalive(parts.settings, parts.monotonicMs)
    this.#metrics = createStreamMetrics(parts.metrics, () => this.#gauges())
    this.#guards = {
      credentialKey: parts.credentialKey,
      failures: new FailureLimit(parts.monotonicMs),
      isDraining: parts.isDraining,
      isCrowded: () => this.#handshakes >= parts.settings.maxHandshakes,
    }
    const { recogniser, settings, monotonicMs, log } = parts
    this.#connectionParts = {
      recogniser,
      settings,
      monotonicMs,
      log,
      keepalive: this.#keepalive,
      metrics: this.#metrics,
      settle: (sessionId, ending, acceptedSamples) =>
        settlements.add({ sessionId, ending, acceptedSamples, endedAt: parts.clock() }),
      onOver: connection => this.#remove(this.#running, connection),
    }
    this.#revocations = watchRevocations({
      db: parts.db,
      connections: this.#running,
      log: parts.log,
    })
  }

  /** First settles what an earlier process left behind: whoever fails the sessions of dead nodes must come after this. */
  static async start(parts: StreamParts): Promise<StreamServer> {
    const settlements = startSettlements(parts.db, await Journal.open(parts.journalPath), parts.log)
    await endsWithin(settlements.finished(), SETTLE_PATIENCE_MS)
    return new StreamServer(parts, settlements)
  }

  /** Takes the upgrade requests of this server from here on. */
  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  /** Running streams go on for up to this time and are then ended. Resolves when all sockets are closed. */
  async drain(deadlineMs: number): Promise<void> {
    await drain(this.#running, () => this.#emptied(this.#running), deadlineMs)
    await this.#emptied(this.#open)
  }

  /** After drain(). What the database does not take in time stays in the journal for the next start. */
  async close(): Promise<void> {
    this.#keepalive.stop()
    await this.#revocations.stop()
    await endsWithin(this.#settlements.finished(), SETTLE_PATIENCE_MS)
    await this.#settlements.close()
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const requestId = this.#parts.newId()
    const destroy = () => socket.destroy()
    socket.on('error', destroy)
    try {
      const address = addressGroup(this.#readAddress(request))
      const claims = climbLadder(request, address, this.#guards)
      this.#requestIds.set(request, requestId)
      this.#sockets.handleUpgrade(request, socket, head, opened => {
        socket.off('error', destroy)
        this.#run({ socket: opened, claims, address, requestId })
      })
    } catch (error) {
      this.#refuse(socket, error, requestId)
    }
  }

  #refuse(socket: Duplex, error: unknown, requestId: string): void {
    const refusal =
      error instanceof ServiceError ? error : new ServiceError('internal_error', { cause: error })
    const { code, cause } = refusal
    this.#metrics.countRefusal(code)
    this.#parts.log.info({ reqId: requestId, code, err: cause }, 'upgrade refused')
    answerBareSocket(socket, refusal, requestId)
  }

  #run(arrival: Arrival): void {
    const { socket, requestId } = arrival
    const redeem = () => this.#redeem(arrival)
    this.#running.add(new Connection({ socket, requestId, redeem }, this.#connectionParts))
    this.#keepUntilClosed(socket)
  }

  /** On its own, so that what listens for the end holds nothing of the handshake. */
  #keepUntilClosed(socket: StreamSocket): void {
    this.#open.add(socket)
    socket.on('close', () => this.#remove(this.#open, socket))
  }

  async #redeem({ claims, address }: Arrival): Promise<OpenSession> {
    const now = this.#parts.clock()
    this.#handshakes += 1
    try {
      if (!claims) throw new ServiceError('invalid_credential')
      if (claims.expiresAt <= now) throw new ServiceError('expired_credential')
      return await redeemSession(this.#parts.db, {
        sessionId: claims.sessionId,
        nodeId: this.#parts.nodeId,
        now,
      })
    } catch (error) {
      if (isBadCredential(error)) this.#guards.failures.note(address)
      throw error
    } finally {
      this.#handshakes -= 1
    }
  }

  #remove<T>(from: Set<T>, item: T): void {
    from.delete(item)
    if (from.size === 0) this.#changes.emit('emptied')
  }

  async #emptied(set: ReadonlySet<unknown>): Promise<void> {
    while (set.size > 0) await once(this.#changes, 'emptied')
  }

  #gauges(): StreamGauges {
    let queuedSamples = 0
    for (const connection of this.#running) queuedSamples += connection.queuedSamples
    return { openConnections: this.#open.size, queuedSamples, pendingSettlements: this.#settlements.pending }
  }
}

function isBadCredential(error: unknown): boolean {
  return error instanceof ServiceError && closeCode(error.code) === BAD_CREDENTIAL_CLOSE
}
