// The service as an operator runs it: a process that is started again whenever it ends, on one of the two databases, with short times so
// that what is left behind is released within seconds.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { revokeKey } from '#server/accounts/keys.js'
import type { Database } from '#server/db/port.js'
import { grantCredit } from '#server/ledger/grant.js'
import type { CertificateAndKey } from '#server/tls/local-authority.js'
import { findFreePort, type RunningPostgres } from '../../../scripts/postgres-for-tests.mjs'
import { type ServiceProcess, startServiceProcess } from '../../../scripts/service-process.mjs'
import type { FaultyNetwork } from '../support/faults/faulty-network.ts'
import { tinyModelsDir } from '../support/recogniser/tiny-models.ts'
import type { DatabaseKind } from './plan.ts'
import { createEmbedded, createForNodes, createOnPostgres, type Store } from './stores.ts'

const JUMPING_CLOCK = fileURLToPath(new URL('../support/faults/jumping-clock.mjs', import.meta.url))
const START_TRIES = 5
const ERRORS: readonly unknown[] = ['error', 'fatal']

const SETTINGS = {
  SAUTI_RECOGNISER_WORKERS: '1',
  SAUTI_HEARTBEAT_SECONDS: '0.3',
  SAUTI_NODE_LOST_SECONDS: '2',
  SAUTI_DATABASE_PATIENCE_SECONDS: '20',
  SAUTI_REAPER_INTERVAL_SECONDS: '0.3',
  SAUTI_PING_INTERVAL_SECONDS: '3',
  SAUTI_DRAIN_SECONDS: '0.5',
  SAUTI_SESSION_CREATIONS_PER_MINUTE: '1000000',
  SAUTI_USAGE_READS_PER_MINUTE: '1000000',
  SAUTI_MODEL_LISTS_PER_MINUTE: '1000000',
  SAUTI_FILES_AT_ONCE: '3',
}

/** On a busy machine a node that only waits for its turn must not be declared dead. */
const NODE_SETTINGS = { SAUTI_NODE_LOST_SECONDS: '3' }

/** What only an operator can do, at the database. False where it was not answered. */
export interface Operator {
  grant(accountId: string, ms: number): Promise<boolean>
  revoke(keyId: string): Promise<boolean>
}

export class Installation {
  readonly database: DatabaseKind
  readonly #store: Store
  readonly #models = tinyModelsDir()
  readonly #clockFile: string
  readonly #port: number
  #process: ServiceProcess | undefined
  #running: Promise<void> = Promise.resolve()
  #isStopping = false
  #isHeldDown = false
  #hasJumpingClock = false
  #killNextStartAfterMs: number | undefined
  #complaints: string[] = []
  #losses = 0
  #isToldToEnd = false
  #ownEnds = 0

  private constructor(database: DatabaseKind, store: Store, port: number) {
    this.database = database
    this.#store = store
    this.#port = port
    this.#clockFile = join(store.env.SAUTI_DATA_DIR!, 'clock')
  }

  static async create(database: DatabaseKind, postgresUrl?: string): Promise<Installation> {
    const store = database === 'postgres' ? await createOnPostgres(postgresUrl) : await createEmbedded()
    return new Installation(database, store, await findFreePort())
  }

  /** Several of them on one PostgreSQL. They are stopped in this order. */
  static async createNodes(count: number, postgresUrl?: string): Promise<Installation[]> {
    const stores = await createForNodes(count, postgresUrl)
    return Promise.all(
      stores.map(async store => {
        const port = await findFreePort()
        const env = { ...store.env, ...NODE_SETTINGS, SAUTI_NODE_URL: `https://127.0.0.1:${port}` }
        return new Installation('postgres', { ...store, env }, port)
      }),
    )
  }

  get port(): number {
    return this.#port
  }

  get ca(): string {
    return readFileSync(join(this.#store.env.SAUTI_DATA_DIR!, 'tls', 'ca.pem'), 'utf8')
  }

  /** That signs its certificate. */
  get authority(): CertificateAndKey {
    const read = (name: string) => readFileSync(join(this.#store.env.SAUTI_DATA_DIR!, 'tls', name), 'utf8')
    return { cert: read('ca.pem'), key: read('ca-key.pem') }
  }

  get env(): Readonly<Record<string, string>> {
    return this.#store.env
  }

  get pid(): number {
    return this.#process!.child.pid!
  }

  get databaseNetwork(): FaultyNetwork {
    return this.#store.network!
  }

  get postgres(): RunningPostgres {
    return this.#store.postgres!
  }

  /** Resolves when the service runs, however often it has to be started. */
  readonly isUp = async (): Promise<void> => {
    for (let seen: Promise<void> | undefined; seen !== this.#running; ) {
      seen = this.#running
      await seen
    }
  }

  /** Starts the service where it does not run, or runs with another clock than is needed. */
  async prepare({ jumpingClock }: { jumpingClock: boolean }): Promise<void> {
    await this.isUp()
    if (this.#process && this.#hasJumpingClock === jumpingClock) return
    this.#hasJumpingClock = jumpingClock
    this.setClock(0)
    if (this.#process) await this.kill('SIGTERM')
    else this.#start()
    await this.isUp()
  }

  /** Starts it again as soon as it has ended. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#isToldToEnd = true
    await this.#process?.end(signal)
  }

  /** Kills it, and later kills the process that is started in its place, this long after its start. */
  async killWhileStarting(afterMs: number): Promise<void> {
    this.#killNextStartAfterMs = afterMs
    await this.kill()
  }

  /** While the work goes on, a service that ends is not started again. */
  async holdDown(work: () => Promise<void>): Promise<void> {
    this.#isHeldDown = true
    try {
      await work()
    } finally {
      this.#isHeldDown = false
    }
  }

  /** What the service logged as an error since the last time, for a person who looks for the cause of a problem. */
  takeComplaints(): string[] {
    return this.#complaints.splice(0)
  }

  /** How often it said that it lost its place, because its database did not answer for too long: then it ends its streams, unbilled. */
  get losses(): number {
    return this.#losses
  }

  /** How often it ended although nobody told it to: it is started again, but its streams are lost. */
  get ownEnds(): number {
    return this.#ownEnds
  }

  setClock(aheadMs: number): void {
    writeFileSync(this.#clockFile, String(aheadMs))
  }

  async withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const db = await this.#store.open()
    try {
      return await work(db)
    } finally {
      await db.close()
    }
  }

  readonly operator: Operator = {
    grant: (accountId, amountMs) =>
      this.#attempt(db => grantCredit(db, { accountId, amountMs, note: null, now: new Date() })),
    revoke: keyId => this.#attempt(db => revokeKey(db, keyId, new Date())),
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.isUp().catch(() => undefined)
    await this.#process?.end('SIGKILL')
    this.#models.remove()
    await this.#store.remove()
  }

  async #attempt(work: (db: Database) => Promise<boolean>): Promise<boolean> {
    return this.withDatabase(work).catch(() => false)
  }

  #start(): void {
    this.#running = this.#startUntilReady()
    this.#running.catch(() => undefined)
  }

  async #startUntilReady(): Promise<void> {
    for (let tries = 1; ; tries++) {
      while (this.#isHeldDown) await wait(50)
      try {
        this.#process = await this.#startOnce()
        break
      } catch (error) {
        this.#process = undefined
        if (tries >= START_TRIES || this.#isStopping) throw error
      }
    }
    createInterface(this.#process.child.stdout!).on('line', line => {
      const { level, loss } = JSON.parse(line)
      if (ERRORS.includes(level)) this.#complaints.push(line)
      if (loss !== undefined) this.#losses += 1
    })
    this.#process.child.once('exit', () => {
      if (this.#isStopping) return
      if (!this.#isToldToEnd) this.#ownEnds += 1
      this.#isToldToEnd = false
      this.#start()
    })
  }

  async #startOnce(): Promise<ServiceProcess> {
    const starting = startServiceProcess(this.#settings(), this.#killNextStartAfterMs)
    this.#killNextStartAfterMs = undefined
    return starting
  }

  #settings(): Record<string, string> {
    const clock = { NODE_OPTIONS: `--import=${JUMPING_CLOCK}`, SAUTI_TEST_CLOCK: this.#clockFile }
    return {
      ...SETTINGS,
      ...this.#store.env,
      SAUTI_PORT: String(this.#port),
      SAUTI_MODELS_DIR: this.#models.modelsDir,
      ...(this.#hasJumpingClock ? clock : {}),
    }
  }
}
