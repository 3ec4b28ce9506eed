// The faults themselves. Each begins, lasts as long as planned, and is repaired; the service must handle what follows.

import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FaultyNetwork } from '../support/faults/faulty-network.ts'
import { type CertificateFault, startImpostor } from '../support/faults/impostor.ts'
import type { Installation } from './installation.ts'
import type { Strike } from './plan.ts'

const run = promisify(execFile)
const HOUR_MS = 3_600_000
const STRANGERS = 10
/** What a client sends before it may send anything else, at least. */
const HANDSHAKE_BYTES = 300
/** A start takes seconds, longer than other faults last. */
const START_FACTOR = 5
/** Nodes are declared dead after three seconds: some of these faults last longer than that, some do not. */
const NODE_FACTOR = 4
/** What somebody sends to a port that speaks TLS: another protocol, half a greeting, noise. */
const NOT_TLS = ['GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\x02\x00\x01', '\x80\x9e\x01\x03\x00\xff\xff', '\0']

export interface Struck {
  readonly installation: Installation
  /** Between the client of the history and the service. */
  readonly network: FaultyNetwork
}

/** Resolves when the fault is over; where the service has to start again, when it runs. */
export async function strike({ fault, lastsMs, bytes }: Strike, struck: Struck): Promise<void> {
  const { installation, network } = struck
  switch (fault) {
    case 'kill the service':
      return killService(installation)
    case 'kill the service, and again while it starts':
      return killTwice(installation, lastsMs * START_FACTOR)
    case 'kill an engine':
      return signalEngines(installation, 'SIGKILL')
    case 'hang an engine':
      return signalEngines(installation, 'SIGSTOP')
    case 'database gone':
      return loseDatabase(installation.databaseNetwork, lastsMs)
    case 'database slow':
      return during(installation.databaseNetwork, { delayMs: 40 }, lastsMs)
    case 'database stalled':
      return stall(installation.databaseNetwork, lastsMs)
    case 'database restarted':
      return installation.postgres.restart()
    case 'disk full':
      return fillDisk(installation, bytes, lastsMs)
    case 'clock forward':
      return jump(installation, HOUR_MS, lastsMs)
    case 'clock back':
      return jump(installation, -HOUR_MS, lastsMs)
    case 'kill a node':
      return killService(installation)
    case 'pause a node':
      return pause(installation, lastsMs * NODE_FACTOR)
    case 'cut a node off from the database':
      return loseDatabase(installation.databaseNetwork, lastsMs * NODE_FACTOR)
    case 'drain a node':
      return drain(installation)
    case 'connection cut':
      network.cut()
      return
    case 'connection stalled':
      return stall(network, lastsMs)
    case 'upload cut midway':
      network.cutAfterBytes = bytes
      return
    case 'slow both ways':
      return during(network, { delayMs: 60 }, lastsMs)
    case 'slow answers':
      return during(network, { answerDelayMs: 150 }, lastsMs)
    case 'bytes changed on the way':
      network.isCorrupting = true
      return
    case 'strangers that speak no TLS':
      return sendStrangers(installation.port)
    case 'handshake cut midway':
      network.cut()
      network.cutAfterBytes = bytes % HANDSHAKE_BYTES
      return
    case 'expired certificate':
    case 'certificate of another host':
    case 'certificate of an unknown authority':
      return standIn(fault, struck, lastsMs)
  }
}

/** So that nothing of a fault is left when a history cleans up. */
export function mend(network: FaultyNetwork): void {
  Object.assign(network, {
    isRefusing: false,
    delayMs: 0,
    answerDelayMs: 0,
    isCorrupting: false,
    cutAfterBytes: Number.POSITIVE_INFINITY,
  })
}

async function killService(installation: Installation): Promise<void> {
  await installation.isUp()
  await installation.kill()
  await installation.isUp()
}

async function killTwice(installation: Installation, afterMs: number): Promise<void> {
  await installation.isUp()
  await installation.killWhileStarting(afterMs)
  await installation.isUp()
}

async function drain(installation: Installation): Promise<void> {
  await installation.isUp()
  await installation.kill('SIGTERM')
  await installation.isUp()
}

/** The process is stopped, with all its connections open; then it continues as if nothing had happened. */
async function pause(installation: Installation, lastsMs: number): Promise<void> {
  await installation.isUp()
  const { pid } = installation
  process.kill(pid, 'SIGSTOP')
  await wait(lastsMs)
  process.kill(pid, 'SIGCONT')
  await installation.isUp()
}

/** Over when they are gone: one that only hangs is given up by the service after a while. */
async function signalEngines(installation: Installation, signal: NodeJS.Signals): Promise<void> {
  await installation.isUp()
  const engines = listEngines(installation.pid)
  for (const pid of engines) process.kill(pid, signal)
  while (engines.some(pid => existsSync(`/proc/${pid}`))) await wait(50)
}

function listEngines(servicePid: number): number[] {
  const threads = readdirSync(`/proc/${servicePid}/task`)
  const children = threads.flatMap(thread => {
    const list = readFileSync(`/proc/${servicePid}/task/${thread}/children`, 'utf8').trim()
    return list === '' ? [] : list.split(' ').map(Number)
  })
  return children.filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('engine-worker'))
}

async function loseDatabase(network: FaultyNetwork, lastsMs: number): Promise<void> {
  network.isRefusing = true
  network.cut()
  await wait(lastsMs)
  network.isRefusing = false
}

async function stall(network: FaultyNetwork, lastsMs: number): Promise<void> {
  network.stall()
  await wait(lastsMs)
  network.release()
}

async function during(
  network: FaultyNetwork,
  change: Partial<FaultyNetwork>,
  lastsMs: number,
): Promise<void> {
  Object.assign(network, change)
  await wait(lastsMs)
  mend(network)
}

/** The journal of settlements has room for this many more bytes, larger files for none: writes fail midway, as on a full disk. */
async function fillDisk(installation: Installation, roomBytes: number, lastsMs: number): Promise<void> {
  await installation.isUp()
  const limitBytes = statSync(join(installation.env.SAUTI_DATA_DIR!, 'settlements.jsonl')).size + roomBytes
  const pid = String(installation.pid)
  await installation.holdDown(async () => {
    await run('prlimit', ['--pid', pid, `--fsize=${limitBytes}:unlimited`])
    await wait(lastsMs)
    // It may have ended meanwhile.
    await run('prlimit', ['--pid', pid, '--fsize=unlimited:unlimited']).catch(() => undefined)
  })
  await installation.isUp()
}

async function jump(installation: Installation, aheadMs: number, lastsMs: number): Promise<void> {
  installation.setClock(aheadMs)
  await wait(lastsMs)
  installation.setClock(0)
}

/** Another server answers for a while. A client that talks to it has not checked its certificate. */
async function standIn(
  fault: CertificateFault,
  { installation, network }: Struck,
  lastsMs: number,
): Promise<void> {
  const impostor = await startImpostor(fault, installation.authority)
  network.target = impostor.port
  network.cut()
  await wait(lastsMs)
  network.target = installation.port
  network.cut()
  await impostor.close()
  if (impostor.heardBytes > 0) throw new Error(`a client accepted an ${fault}`)
}

async function sendStrangers(port: number): Promise<void> {
  const sockets = Array.from({ length: STRANGERS }, (_, index) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(Buffer.from(NOT_TLS[index % NOT_TLS.length]!, 'latin1'))
    return socket
  })
  await wait(100)
  for (const socket of sockets) socket.destroy()
}
