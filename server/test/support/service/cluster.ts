// Several nodes on one PostgreSQL, each a process of its own with an address of its own, as an operator runs them.

import type { AsrSession } from '@sauti/protocol/http'
import { migrate } from '#server/db/migrate.js'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { readConfig } from '#server/settings/config.js'
import { type ServiceProcess, startNodeProcess } from '../../../../scripts/service-process.mjs'
import { createTestDatabase, type TestDatabase } from '../database/database.ts'
import { tinyModelsDir } from '../recogniser/tiny-models.ts'
import { StreamClient } from '../streams/stream-client.ts'
import { FrontDoor } from './front-door.ts'

export interface ClusterNode {
  readonly url: string
  readonly process: ServiceProcess
  readonly door: FrontDoor
}

export interface ClusterOptions {
  /** Settings of all nodes. */
  readonly env?: Readonly<Record<string, string>>
  /** A PostgreSQL of its own; without it a new database in that of the tests. */
  readonly store?: TestDatabase
}

export class Cluster {
  readonly database: Database
  readonly nodes: ClusterNode[] = []
  /** By address, including nodes that are starting or have ended: a session may be placed on a node before its start is complete here. */
  readonly #byUrl = new Map<string, Promise<ClusterNode>>()
  readonly #env: Readonly<Record<string, string>>
  readonly #cleanUp: (() => unknown)[]

  private constructor(database: Database, env: Readonly<Record<string, string>>, cleanUp: (() => unknown)[]) {
    this.database = database
    this.#env = env
    this.#cleanUp = cleanUp
  }

  static async start(size: number, { env = {}, store: given }: ClusterOptions = {}): Promise<Cluster> {
    const store = given ?? (await createTestDatabase('postgres'))
    const models = tinyModelsDir()
    const database = await openDatabase(readConfig({ ...store.env }), {
      as: 'command',
      // A test may take the server away.
      onConnectionLost: () => undefined,
      onDatabaseLost: () => undefined,
    })
    await migrate(database)
    const shared = {
      ...store.env,
      SAUTI_MODELS_DIR: models.modelsDir,
      SAUTI_RECOGNISER_WORKERS: '1',
      SAUTI_USAGE_READS_PER_MINUTE: '100000',
      SAUTI_SESSION_CREATIONS_PER_MINUTE: '100000',
      ...env,
    }
    const cluster = new Cluster(database, shared, [() => models.remove(), () => store.remove()])
    cluster.#cleanUp.push(() => database.close())
    await Promise.all(Array.from({ length: size }, () => cluster.add()))
    return cluster
  }

  /** Starts one more node. */
  async add(env: Readonly<Record<string, string>> = {}): Promise<ClusterNode> {
    const { url, starting, remove } = await startNodeProcess(this.#env, env)
    this.#cleanUp.push(remove)
    const started = starting.then(process => ({ url, process, door: new FrontDoor(process) }))
    this.#byUrl.set(url, started)
    const node = await started
    this.nodes.push(node)
    return node
  }

  /** Nobody is sent to it any more: it was ended, or is about to be. Clients that were sent there may still come. */
  drop(node: ClusterNode): void {
    this.nodes.splice(this.nodes.indexOf(node), 1)
  }

  async nodeOf({ websocket_url }: Pick<AsrSession, 'websocket_url'>): Promise<ClusterNode> {
    const node = this.#byUrl.get(new URL(websocket_url).origin.replace('wss:', 'https:'))
    if (!node) throw new Error(`no node of this cluster serves ${websocket_url}`)
    return node
  }

  /** A stream that is ready, at the node that the session was placed on. */
  async open(session: AsrSession): Promise<StreamClient> {
    const { process } = await this.nodeOf(session)
    return StreamClient.ready(session, process.ca)
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(({ process }) => process.end('SIGKILL')))
    for (const clean of this.#cleanUp.reverse()) await clean()
  }
}
