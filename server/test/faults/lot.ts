// Runs a lot: many histories at once on one service, and the faults that strike it; then everything is repaired, the clients clean up, and the
// oracle checks the ledger.

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createKey } from '#server/accounts/keys.js'
import type { Database } from '#server/db/port.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { startFaultyNetwork } from '../support/faults/faulty-network.ts'
import { createCustomer } from '../support/service/customer.ts'
import { Client } from './client.ts'
import { mend, strike } from './faults.ts'
import { type Account, History } from './history.ts'
import type { Installation } from './installation.ts'
import { hitsService, type Kind, needsNodes } from './kinds.ts'
import { countActive, countOpenStreams, countServing, observeAccount } from './observe.ts'
import { type Circumstances, judge } from './oracle.ts'
import type { Lot, Operation, Strike } from './plan.ts'
import type { Told } from './told.ts'

/** A node that was killed is noticed within seconds; a busy machine may need longer. */
const RELEASE_PATIENCE_MS = 120_000
const SESSIONS_AT_ONCE = 3
/** The line of faults that hit all histories. */
const SERVICE = -1
/** Faults that only clients feel: the service itself must not fail a session. */
const CLIENTS_ONLY: readonly Kind[] = [
  'tls',
  'vanishing-clients',
  'slow-clients',
  'greedy-clients',
  'clock',
  'certificates',
]

/** A database that cannot be written ends the service: it must not go on as if it were. */
const MAY_END_SERVICE: readonly Kind[] = ['disk-full']

export interface LotResult {
  readonly lot: Lot
  readonly accounts: readonly Account[]
  readonly told: readonly Told[]
  /** A node said that its database did not answer for too long, whatever struck. */
  readonly hasLostDatabase: boolean
  readonly problems: readonly string[]
  readonly tookMs: number
}

/** The nodes share a database; history n asks node n, and starts again with the first. */
export type Nodes = readonly [Installation, ...Installation[]]

export async function runLot(lot: Lot, nodes: Nodes): Promise<LotResult> {
  const startedMs = performance.now()
  // The first makes the schema.
  for (const node of nodes) await node.prepare({ jumpingClock: lot.kind === 'clock' })
  const accounts = await nodes[0].withDatabase(async db => {
    while ((await countServing(db)) < nodes.length) await wait(50)
    return openAccounts(db, lot)
  })
  const lossesBefore = countLosses(nodes)
  const endsBefore = countOwnEnds(nodes)
  const told = await runHistories(lot, accounts, nodes)
  const hasLostDatabase = countLosses(nodes) > lossesBefore
  const judged = { lot, accounts, told, hasLostDatabase }
  const problems = await findProblems(judged, nodes[0], false)
  const ownEnds = countOwnEnds(nodes) - endsBefore
  if (ownEnds > 0 && !MAY_END_SERVICE.includes(lot.kind))
    problems.push(`lot ${lot.seed}: the service ended by itself, ${ownEnds} times`)
  return { ...judged, problems, tookMs: performance.now() - startedMs }
}

function countLosses(nodes: Nodes): number {
  return nodes.reduce((sum, node) => sum + node.losses, 0)
}

function countOwnEnds(nodes: Nodes): number {
  return nodes.reduce((sum, node) => sum + node.ownEnds, 0)
}

/** Once more, when every reservation of the lot is over: now nothing may be held any more. */
export async function findLeaks(result: LotResult, nodes: Nodes): Promise<string[]> {
  await Promise.all(nodes.map(node => node.isUp()))
  return findProblems(result, nodes[0], true)
}

async function openAccounts(db: Database, lot: Lot): Promise<Account[]> {
  const accounts: Account[] = []
  for (const creditMs of lot.creditMs) {
    const now = new Date()
    const { accountId, keyId, key } = await createCustomer(db, now, {
      creditMs,
      concurrency: SESSIONS_AT_ONCE,
    })
    const second = { id: randomUUID(), accountId, name: 'second', models: null, expiresAt: null, now }
    const keys = [
      { id: keyId, secret: key },
      { id: second.id, secret: (await createKey(db, second))! },
    ]
    accounts.push({ accountId, creditMs, keys })
  }
  return accounts
}

async function runHistories(lot: Lot, accounts: readonly Account[], nodes: Nodes): Promise<Told[]> {
  const networks = await Promise.all(lot.histories.map(() => startFaultyNetwork()))
  const nodeOf = (history: number) => nodes[history % nodes.length]!
  const ca = nodes.map(node => node.ca).join('\n')
  const histories = accounts.map((account, index) => {
    const { port, operator, isUp } = nodeOf(index)
    networks[index]!.target = port
    return new History({
      account,
      operator,
      isUp,
      client: new Client(networks[index]!, ca, nodes.length > 1),
      clockJumps: lot.kind === 'clock',
    })
  })
  const storm = new Storm(lot.strikes, one =>
    strike(one, { installation: nodeOf(one.history), network: networks[one.history]! }),
  )
  await Promise.all(
    histories.map((history, index) => performAll(history, lot.histories[index]!, index, storm)),
  )
  await storm.isOver()
  networks.forEach(mend)
  await Promise.all(histories.map(history => history.finish()))
  await Promise.all(networks.map(network => network.close()))
  return histories.map(({ told }) => told)
}

async function performAll(
  history: History,
  operations: readonly Operation[],
  index: number,
  storm: Storm,
): Promise<void> {
  for (const [place, operation] of operations.entries()) {
    storm.strikeAt(index, place)
    await history.perform(operation)
  }
}

/** The strikes of a lot, each when its operation begins. The service is struck by one at a time, every client by its own. */
class Storm {
  readonly #strikes: readonly Strike[]
  readonly #begin: (strike: Strike) => Promise<void>
  readonly #ends = new Map<number, Promise<void>>()

  constructor(strikes: readonly Strike[], begin: (strike: Strike) => Promise<void>) {
    this.#strikes = strikes
    this.#begin = begin
  }

  strikeAt(history: number, operation: number): void {
    for (const one of this.#strikes) {
      if (one.history !== history || one.operation !== operation) continue
      const line = hitsService(one.fault) ? SERVICE : history
      const before = this.#ends.get(line) ?? Promise.resolve()
      const end = Promise.all([before, wait(one.afterMs)]).then(() => this.#begin(one))
      // It is awaited when all operations are done.
      end.catch(() => undefined)
      this.#ends.set(line, end)
    }
  }

  async isOver(): Promise<void> {
    await Promise.all(this.#ends.values())
  }
}

type Judged = Pick<LotResult, 'lot' | 'accounts' | 'told' | 'hasLostDatabase'>

/** On an overloaded machine the database may be silent for so long, without any fault of ours, that the service must give up its streams. */
export function circumstancesOf(
  { lot, hasLostDatabase }: Pick<Judged, 'lot' | 'hasLostDatabase'>,
  isReleased: boolean,
): Circumstances {
  return {
    serviceMayFail: hasLostDatabase || !CLIENTS_ONLY.includes(lot.kind),
    nodesMayBeLost: needsNodes(lot.kind),
    clockJumps: lot.kind === 'clock',
    isReleased,
  }
}

async function findProblems(
  judged: Judged,
  installation: Installation,
  isReleased: boolean,
): Promise<string[]> {
  const { lot, accounts, told } = judged
  const circumstances = circumstancesOf(judged, isReleased)
  return installation.withDatabase(async db => {
    const ids = accounts.map(({ accountId }) => accountId)
    const problems = await waitForRelease(db, ids)
    for (const [index, accountId] of ids.entries()) {
      const seen = await observeAccount(db, accountId)
      const found = judge(told[index]!, seen, circumstances)
      problems.push(...found.map(problem => `lot ${lot.seed} history ${index}: ${problem}`))
    }
    const { discrepancies } = await verifyLedger(db)
    problems.push(...discrepancies.map(one => `lot ${lot.seed}: ledger verify: ${JSON.stringify(one)}`))
    return problems
  })
}

/** Streams are settled by the node that ran them, or within seconds by others. */
async function waitForRelease(db: Database, accountIds: readonly string[]): Promise<string[]> {
  for (const start = Date.now(); ; await wait(100)) {
    const active = await countActive(db, accountIds)
    const streams = await countOpenStreams(db)
    if (active === 0 && streams === 0) return []
    if (Date.now() - start > RELEASE_PATIENCE_MS)
      return [`leaked: ${active} sessions and ${streams} streams are still open`]
  }
}
