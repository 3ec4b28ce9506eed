// A throw-away PostgreSQL server for the tests: its own folder, a free port, gone when the tests are done.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgresFolder } from './find-postgres.mjs'

const START_TIMEOUT_MS = 60_000

/** vitest's global setup: tests read the address with inject('postgresUrl'). */
export async function setup(project) {
  const postgres = await startPostgres()
  project.provide('postgresUrl', postgres.url)
  return postgres.stop
}

export async function startPostgres() {
  const bin = findPostgresFolder()
  if (!bin) throw new Error('PostgreSQL is missing: install it (Debian: apt-get install postgresql)')
  const folder = mkdtempSync(join(tmpdir(), 'sauti-postgres-'))
  const asUser = findUser(folder)
  const data = join(folder, 'data')
  execute(asUser, join(bin, 'initdb'), [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
  ])
  const port = await findFreePort()
  const server = launch(asUser, join(bin, 'postgres'), ['-D', data, '-p', String(port), ...OPTIONS])
  const stop = () => stopServer(server, folder)
  try {
    await waitUntilReady(server, join(bin, 'pg_isready'), port)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop }
}

const OPTIONS = [
  ...['-c', 'listen_addresses=127.0.0.1'],
  ...['-c', 'unix_socket_directories='],
  ...['-c', 'max_connections=300'],
  ...['-c', 'log_min_messages=fatal'],
]

/** PostgreSQL refuses to run as root, so root lends the folder to the user that the Debian package made. */
function findUser(folder) {
  if (process.getuid?.() !== 0) return undefined
  const id = flag => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const user = { uid: id('-u'), gid: id('-g') }
  chownSync(folder, user.uid, user.gid)
  return user
}

function execute(user, program, args) {
  execFileSync(program, args, { ...user, cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
}

function launch(user, program, args) {
  return spawn(program, args, { ...user, cwd: '/', stdio: ['ignore', 'inherit', 'inherit'] })
}

async function findFreePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}

async function waitUntilReady(server, isReady, port) {
  for (const start = Date.now(); Date.now() - start < START_TIMEOUT_MS; await sleep(100)) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start (code ${server.exitCode})`)
    try {
      execFileSync(isReady, ['-q', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'])
      return
    } catch (error) {
      if (typeof error.status !== 'number') throw error
    }
  }
  throw new Error('PostgreSQL did not start in time')
}

async function stopServer(server, folder) {
  if (server.exitCode === null && server.signalCode === null) {
    server.kill('SIGINT')
    await once(server, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
}
