// A throw-away PostgreSQL primary with a synchronous standby, to fail over: streaming replication, and promotion by hand.

import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgresFolder } from './find-postgres.mjs'
import {
  chooseUser,
  findFreePort,
  launch,
  prepareProgramFolder,
  runAs,
  SERVER_OPTIONS,
  waitUntilReady,
} from './postgres-for-tests.mjs'

const REPLICATION_TIMEOUT_MS = 30_000
/** What it prints when it is killed does not matter. */
const QUIET = ['-c', 'log_min_messages=panic']
/** A commit is acknowledged when the standby has it on disk, too. */
const SYNCHRONOUS = ['-c', 'synchronous_standby_names=*', '-c', 'synchronous_commit=on']

/** `options` are further ones of both servers. */
export async function startReplicatedPostgres({ options: further = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-replicated-'))
  const user = chooseUser()
  if (user) chmodSync(folder, 0o711)
  const bin = prepareProgramFolder(findPostgresFolder(), folder)
  const ports = [await findFreePort(), await findFreePort()]
  const data = prepareData({ folder, bin, user, primaryPort: ports[0] })
  const start = async (index, options = []) => {
    const args = [
      '-D',
      data[index],
      '-p',
      String(ports[index]),
      ...SERVER_OPTIONS,
      ...QUIET,
      ...further,
      ...options,
    ]
    const server = launch(user, join(bin, 'postgres'), args)
    return server
  }
  const servers = [await start(0, SYNCHRONOUS), await start(1)]
  await waitUntilReady(servers[0], data[0])
  const urls = ports.map(port => `postgres://postgres@127.0.0.1:${port}/postgres`)
  await waitForStandby(urls[0])
  return {
    /** Both hosts in one address. */
    url: `postgres://postgres@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/postgres?target_session_attrs=read-write`,
    primaryUrl: urls[0],
    standbyUrl: urls[1],
    async killPrimary() {
      const exited = once(servers[0], 'exit')
      servers[0].kill('SIGKILL')
      await exited
    },
    /** As if somebody had repaired it without knowing about the promotion: it accepts writes again, on the old timeline. */
    async restartOldPrimary() {
      servers[0] = await start(0)
      await waitUntilReady(servers[0], data[0])
    },
    async promoteStandby() {
      await ask(urls[1], 'SELECT pg_promote(true, 30)')
    },
    async stop() {
      for (const server of servers) await end(server)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The standby begins as a copy of the primary before its first start. */
function prepareData({ folder, bin, user, primaryPort }) {
  const [primary, standby] = ['primary', 'standby'].map(name => {
    const data = join(folder, name)
    mkdirSync(data, { mode: 0o700 })
    return data
  })
  if (user) chownSync(primary, user.uid, user.gid)
  const locale = ['--no-locale', '--encoding=UTF8']
  runAs(user, join(bin, 'initdb'), ['-D', primary, '-U', 'postgres', '-A', 'trust', '--no-sync', ...locale])
  cpSync(primary, standby, { recursive: true })
  writeFileSync(join(standby, 'standby.signal'), '')
  const source = `host=127.0.0.1 port=${primaryPort} user=postgres application_name=standby`
  appendFileSync(join(standby, 'postgresql.conf'), `\nprimary_conninfo = '${source}'\n`)
  if (user) runAs(undefined, 'chown', ['-R', `${user.uid}:${user.gid}`, standby])
  return [primary, standby]
}

async function waitForStandby(primaryUrl) {
  for (const start = Date.now(); Date.now() - start < REPLICATION_TIMEOUT_MS; await sleep(100)) {
    const [row] = await ask(primaryUrl, "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")
    if (row) return
  }
  throw new Error('the standby did not connect in time')
}

/** With the driver of the service, because the programs of PostgreSQL that come from npm have no psql. */
async function ask(url, sql) {
  const { openPostgres } = await import('../server/dist/db/postgres.js')
  const database = openPostgres({ connection: url, poolSize: 1, onConnectionLost: () => undefined })
  try {
    return await database.query(sql)
  } finally {
    await database.close()
  }
}

async function end(server) {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill('SIGQUIT')
  await exited
}
