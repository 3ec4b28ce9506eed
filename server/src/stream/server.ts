// The stream part as a whole: takes upgrade requests of the HTTP server, runs their connections, and ends them all.

import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError } from '@sauti/protocol/errors'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Database, Queryable } from '../db/port.ts'
import { answerBareSocket } from '../network/bare-answer.ts'
import { type AddressReader, createClientReader } from '../network/client-address.ts'
import { OpenCount } from '../network/open-count.ts'
import type { NodeSeat } from '../nodes/membership.ts'
import type { SharedRates } from '../nodes/shared-rates.ts'
import type { Recogniser, VoiceDetector } from '../recogniser/port.ts'
import type { Repetition } from '../repeat.ts'
import type { CredentialKeys } from '../sessions/credential.ts'
import type { StreamEnding } from '../sessions/lifecycle.ts'
import { createOpusDecoders } from './audio/opus-decoders.ts'
import { Connection } from './connection/connection.ts'
import type { ConnectionParts } from './connection/parts.ts'
import type { Admission, Credit, Wire } from './dialect.ts'
import { drain } from './drain.ts'
import { createStreamMetrics, type StreamGauges, type StreamMetrics } from './metrics.ts'
import { watchRevocations } from './revocation.ts'
import { SETTLE_PATIENCE_MS, type StreamSettings } from './settings.ts'
import { Journal } from './settlement/journal.ts'
import { type Settlements, startSettlements } from './settlement/settlement.ts'
import { type Keepalive, startKeepalive } from './socket/keepalive.ts'
import { createSocketServer, type HandshakeAnswer, type StreamSocket } from './socket/socket.ts'
import { endsWithin } from './time-limit.ts'
import { checkUpgrade, findWire, type UpgradeGuards } from './upgrade.ts'
import { createWires, type WireParts } from './wires/all.ts'

export interface StreamParts {
  readonly db: Queryable & Pick<Database, 'listen' | 'transaction'>
  readonly recogniser: Recogniser
  readonly voice: VoiceDetector
  readonly credentialKeys: CredentialKeys
  readonly node: NodeSeat
  /** Where settlements that the database has not taken yet are written down. */
  readonly journalPath: string
  readonly settings: StreamSettings
  /** Refuses new handshakes. */
  readonly isDraining: () => boolean
  readonly metrics: Registry
  readonly log: Logger
  readonly clock: () => Date
  /** Where several nodes serve the same accounts. */
  readonly sharedRates?: SharedRates
  readonly monotonicMs: () => number
  readonly newId: () => string
  /** Which protocols are served: all, unless a test brings its own. */
  readonly wires?: (parts: WireParts) => readonly Wire[]
}

/** An upgrade request, until it is a connection or refused. */
interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly requestId: string
}

export class StreamServer {
  readonly #parts: StreamParts
  readonly #running = new Set<Connection>()
  /** Outlive their connections by the closing handshake. */
  readonly #open = new Set<StreamSocket>()
  readonly #openByClient = new OpenCount()
  readonly #changes = new EventEmitter()
  /** One for each wire, because the largest message is a setting of the server. */
  readonly #sockets = new Map<Wire, ReturnType<typeof createSocketServer>>()
  readonly #answers = new WeakMap<IncomingMessage, HandshakeAnswer>()
  readonly #guards: UpgradeGuards
  readonly #keepalive: Keepalive
  readonly #metrics: StreamMetrics
  readonly #connectionParts: ConnectionParts
  readonly #revocations: Repetition
  readonly #settlements: Settlements
  readonly #clientOf: AddressReader
  readonly #opus = createOpusDecoders()
  /** Not yet refused, and the database has not yet said whether they open a session. */
  #handshakes = 0

  private constructor(parts: StreamParts, settlements: Settlements) {
    this.#parts = parts
    this.#settlements = settlements
    this.#clientOf = createClientReader(parts.settings.trustedProxies)
    this.#keepalive = startKeepalive(parts.settings, parts.monotonicMs)
    this.#metrics = createStreamMetrics(parts.metrics, () => this.#gauges())
    this.#guards = {
      wires: (parts.wires ?? createWires)(parts),
      isDraining: parts.isDraining,
      isCrowded: () => this.#handshakes >= parts.settings.maxHandshakes,
    }
    for (const wire of this.#guards.wires) {
      this.#sockets.set(
        wire,
        createSocketServer(wire.maxMessageBytes, request => this.#answers.get(request)),
      )
    }
    const { recogniser, voice, settings, monotonicMs, log } = parts
    this.#connectionParts = {
      recogniser,
      voice,
      opus: this.#opus,
      settings,
      monotonicMs,
      log,
      keepalive: this.#keepalive,
      metrics: this.#metrics,
      settle: (sessionId, ending, acceptedSamples) => {
        parts.node.noteEnding()
        return settlements.add({ sessionId, ending, acceptedSamples, endedAt: parts.clock() })
      },
    }
    this.#revocations = watchRevocations({
      db: parts.db,
      connections: this.#running,
      log: parts.log,
    })
  }

  /** Settles a session that was opened elsewhere than on a stream; see Settlements. */
  settle(sessionId: string, ending: StreamEnding, acceptedSamples: number): Promise<void> {
    return this.#settlements.add({ sessionId, ending, acceptedSamples, endedAt: this.#parts.clock() })
  }

  /** First settles what an earlier process left behind: the sweep that fails the sessions of dead nodes must run after this. */
  static async start(parts: StreamParts): Promise<StreamServer> {
    const settlements = startSettlements(parts.db, await Journal.open(parts.journalPath), parts.log)
    await endsWithin(settlements.finished(), SETTLE_PATIENCE_MS)
    return new StreamServer(parts, settlements)
  }

  /** Takes the upgrade requests of this server from here on. */
  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  /** Ends every stream as our own fault: its session is not billed. */
  failAll(): void {
    for (const connection of this.#running) connection.end('internal_error')
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
    await this.#opus.close()
    await this.#settlements.close()
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const upgrade = { request, socket, head, requestId: this.#parts.newId() }
    let wire: Wire | undefined
    const destroy = () => socket.destroy()
    socket.on('error', destroy)
    try {
      wire = findWire(request, this.#guards.wires)
      checkUpgrade(request, this.#guards)
    } catch (error) {
      this.#refuse(upgrade, wire, error)
      return
    }
    const admitting = wire
    this.#admit(upgrade, admitting).then(
      admission => this.#accept(upgrade, admitting, admission, destroy),
      error => this.#refuse(upgrade, admitting, error),
    )
  }

  async #admit({ request }: Upgrade, wire: Wire): Promise<Admission> {
    this.#handshakes += 1
    try {
      const client = this.#clientOf(request)
      this.#openByClient.check(client, this.#parts.settings.maxConnectionsPerAddress)
      return await wire.admit(request, client)
    } finally {
      this.#handshakes -= 1
    }
  }

  #accept(upgrade: Upgrade, wire: Wire, admission: Admission, destroy: () => void): void {
    const { request, socket, head, requestId } = upgrade
    if (socket.destroyed) {
      admission.credit.giveUp?.()
      return
    }
    this.#answers.set(request, { requestId, subprotocol: admission.subprotocol })
    this.#sockets.get(wire)!.handleUpgrade(request, socket, head, opened => {
      socket.off('error', destroy)
      this.#run(opened, requestId, admission, this.#clientOf(request))
    })
  }

  #refuse({ socket, requestId }: Upgrade, wire: Wire | undefined, error: unknown): void {
    const refusal =
      error instanceof ServiceError ? error : new ServiceError('internal_error', { cause: error })
    const { code, cause } = refusal
    this.#metrics.countRefusal(code)
    this.#parts.log.info({ reqId: requestId, code, err: cause }, 'upgrade refused')
    answerBareSocket(socket, refusal, requestId, wire?.refusalBody)
  }

  #run(socket: StreamSocket, requestId: string, { dialect, credit }: Admission, client: string): void {
    const handshake = { socket, requestId, dialect, credit: this.#counted(credit) }
    const onOver = (connection: Connection) => this.#remove(this.#running, connection)
    this.#running.add(new Connection(handshake, this.#connectionParts, onOver))
    this.#keepUntilClosed(socket, client)
  }

  /** The handshake lasts until its session is open or refused. */
  #counted(credit: Credit): Credit {
    return {
      ...credit,
      open: async () => {
        this.#handshakes += 1
        try {
          return await credit.open()
        } finally {
          this.#handshakes -= 1
        }
      },
    }
  }

  /** On its own, so that what listens for the end holds nothing of the handshake. */
  #keepUntilClosed(socket: StreamSocket, client: string): void {
    this.#open.add(socket)
    this.#openByClient.add(client)
    socket.on('close', () => {
      this.#openByClient.remove(client)
      this.#remove(this.#open, socket)
    })
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
