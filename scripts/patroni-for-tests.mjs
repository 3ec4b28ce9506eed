// Two PostgreSQL servers under Patroni with an etcd, to fail over as operators do: nobody promotes by hand. Needs Debian's packages
// patroni, etcd-server and postgresql.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgresFolder } from './find-postgres.mjs'
import { chooseUser, findFreePort, runAs } from './postgres-for-tests.mjs'
import { PATRONI_NEEDS } from './programs.mjs'

const START_TIMEOUT_MS = 120_000
/** The shortest that Patroni's documentation allows: a leader that is silent for 20 s is replaced. */
const TIMES = { ttl: 20, loop_wait: 1, retry_timeout: 3 }

export async function startPatroni() {
  const bin = findPostgresFolder(PATRONI_NEEDS)
  if (!bin) throw new Error('PostgreSQL is missing: apt-get install postgresql')
  const folder = mkdtempSync(join(tmpdir(), 'sauti-patroni-'))
  const user = chooseUser()
  chmodSync(folder, 0o711)
  const etcd = await startEtcd(folder, user)
  const members = [await prepareMember('one', folder, user), await prepareMember('two', folder, user)]
  const start = member => startMember(member, { bin, etcdUrl: etcd.url, user })
  const stop = async () => {
    await Promise.all(members.map(killMember))
    await end(etcd.process)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    start(members[0])
    await waitFor('a leader', () => isLeader(members[0]))
    start(members[1])
    await waitFor('a synchronous standby', () => isSynchronous(members[1]))
  } catch (error) {
    await stop()
    throw error
  }
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    url: `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`,
    /** As when its machine loses power: Patroni and PostgreSQL are gone in the same moment. */
    async killLeader() {
      await killMember(members[0])
    },
    /** Resolves when Patroni has promoted the standby. */
    async waitForPromotion() {
      await waitFor('a promotion', () => isLeader(members[1]))
    },
    /** The machine is back. Resolves when Patroni has made a synchronous standby of the former leader. */
    async restartOldLeader() {
      start(members[0])
      await waitFor('the former leader as a standby', () => isSynchronous(members[0]))
    },
    /** What an operator does before maintenance; the first member leads again. */
    async switchOver() {
      await ask(members[1], '/switchover', { leader: 'two', candidate: 'one' })
      await waitFor('the other leader', () => isLeader(members[0]))
    },
    stop,
  }
}

async function startEtcd(folder, user) {
  const data = makeFolder(join(folder, 'etcd'), user)
  const [client, peer] = [await findFreePort(), await findFreePort()].map(port => `http://127.0.0.1:${port}`)
  const clientFlags = ['--listen-client-urls', client, '--advertise-client-urls', client]
  const peerFlags = ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer]
  const cluster = ['--initial-cluster', `default=${peer}`, '--log-level', 'fatal', '--unsafe-no-fsync']
  const process = launchQuietly(user, 'etcd', ['--data-dir', data, ...clientFlags, ...peerFlags, ...cluster])
  await waitFor('etcd', async () => (await fetch(`${client}/health`)).ok)
  return { process, url: client }
}

async function prepareMember(name, folder, user) {
  const home = makeFolder(join(folder, name), user)
  return { name, home, data: join(home, 'data'), port: await findFreePort(), apiPort: await findFreePort() }
}

function startMember(member, { bin, etcdUrl, user }) {
  const file = join(member.home, 'patroni.json')
  writeFileSync(file, JSON.stringify(describeMember(member, bin, etcdUrl)))
  // YAML, which Patroni reads, contains JSON.
  member.process = launchQuietly(user, 'patroni', [file])
}

function describeMember({ name, home, data, port, apiPort }, bin, etcdUrl) {
  const api = `127.0.0.1:${apiPort}`
  const own = `127.0.0.1:${port}`
  const login = { username: 'postgres' }
  // Nothing outlives the tests, so no disk must be waited for.
  const parameters = { fsync: 'off', max_connections: 300, unix_socket_directories: '' }
  return {
    scope: 'sauti',
    name,
    log: { level: 'ERROR' },
    restapi: { listen: api, connect_address: api },
    etcd3: { url: etcdUrl },
    bootstrap: {
      dcs: { ...TIMES, synchronous_mode: true, postgresql: { use_pg_rewind: true, parameters } },
      initdb: [{ encoding: 'UTF8' }, 'no-locale', 'no-sync'],
    },
    postgresql: {
      listen: own,
      connect_address: own,
      data_dir: data,
      bin_dir: bin,
      pgpass: join(home, 'pgpass'),
      authentication: { superuser: login, replication: login, rewind: login },
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
  }
}

function makeFolder(path, user) {
  mkdirSync(path, { mode: 0o700 })
  if (user) runAs(undefined, 'chown', [`${user.uid}:${user.gid}`, path])
  return path
}

function launchQuietly(user, program, args) {
  const started = spawn(program, args, { ...user, cwd: '/', stdio: 'ignore' })
  process.once('exit', () => started.kill('SIGKILL'))
  return started
}

/** Patroni first, so that it does not start its PostgreSQL again. */
async function killMember(member) {
  if (!member.process) return
  await end(member.process)
  const pid = readPostmaster(member.data)
  if (pid === undefined) return
  const ask = signal => {
    try {
      return process.kill(pid, signal)
    } catch {
      return false
    }
  }
  ask('SIGKILL')
  await waitFor('the end of PostgreSQL', () => !ask(0))
}

function readPostmaster(data) {
  try {
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return undefined
  }
}

async function end(running) {
  if (running.exitCode !== null || running.signalCode !== null) return
  const exited = once(running, 'exit')
  running.kill('SIGKILL')
  await exited
}

const isLeader = async member => (await ask(member, '/primary')).ok
const isSynchronous = async member => (await ask(member, '/synchronous')).ok

function ask({ apiPort }, path, body) {
  const content = body && { method: 'POST', body: JSON.stringify(body) }
  return fetch(`http://127.0.0.1:${apiPort}${path}`, content)
}

async function waitFor(what, isThere) {
  for (const start = Date.now(); Date.now() - start < START_TIMEOUT_MS; await sleep(100))
    if (await Promise.resolve(isThere()).catch(() => false)) return
  throw new Error(`${what} did not come in time`)
}
