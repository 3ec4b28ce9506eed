// A throw-away PostgreSQL server for the tests: its own folder, a free port, gone when the tests are done.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPackagedPostgres, findPostgresFolder } from './find-postgres.mjs'

const START_TIMEOUT_MS = 60_000
export const SERVER_OPTIONS = [
  ...['-c', 'listen_addresses=127.0.0.1'],
  ...['-c', 'unix_socket_directories='],
  ...['-c', 'max_connections=300'],
  // Nothing outlives the tests, so no disk must be waited for.
  ...['-c', 'fsync=off'],
  ...['-c', 'log_min_messages=fatal'],
]

/** vitest's global setup: one server for all projects that use it. Tests read the address with inject('postgresUrl'). */
export async function setup({ vitest, provide }) {
  const isUsed = vitest.projects.some(({ config }) => config.env?.SAUTI_TEST_DATABASE === 'postgres')
  if (!isUsed) return
  const postgres = await startPostgres()
  provide('postgresUrl', postgres.url)
  return postgres.stop
}

/** `installed` is the folder of the programs; without it they are found. `options` are further ones of the server. */
export async function startPostgres({ installed = findPostgresFolder(), options = [] } = {}) {
  if (!installed)
    throw new Error('PostgreSQL is missing: run npm ci, or install it (apt-get install postgresql)')
  const folder = mkdtempSync(join(tmpdir(), 'sauti-postgres-'))
  const user = chooseUser()
  const bin = prepareProgramFolder(installed, folder)
  const data = prepareDataFolder(folder, user)
  const locale = ['--no-locale', '--encoding=UTF8']
  runAs(user, join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', ...locale])
  const port = await findFreePort()
  const args = ['-D', data, '-p', String(port), ...SERVER_OPTIONS, ...options]
  const start = () => launch(user, join(bin, 'postgres'), args)
  let server = start()
  const stop = () => stopServer(server, folder)
  /** Kills it without closing connections; the next start recovers from the log. */
  const restart = async () => {
    const exited = once(server, 'exit')
    server.kill('SIGQUIT')
    await exited
    server = start()
    await waitUntilReady(server, data)
  }
  try {
    await waitUntilReady(server, data)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, port, restart, stop }
}

/** PostgreSQL refuses to run as root, so root runs it as an unprivileged user. */
export function chooseUser() {
  if (process.getuid?.() !== 0) return undefined
  const id = flag => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/**
 * The packaged programs are copied, because that user may not be able to read this folder, and because the links
 * between their libraries are only listed in the package.
 */
export function prepareProgramFolder(installed, folder) {
  const packaged = findPackagedPostgres()
  if (!packaged || dirname(installed) !== packaged) return installed
  const copy = join(folder, 'native')
  cpSync(packaged, copy, { recursive: true })
  const list = join(packaged, 'pg-symlinks.json')
  for (const { source, target } of existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []) {
    const link = join(folder, target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
  return join(copy, 'bin')
}

function prepareDataFolder(folder, user) {
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (user) {
    chmodSync(folder, 0o711)
    chownSync(data, user.uid, user.gid)
  }
  return data
}

export function runAs(user, program, args) {
  execFileSync(program, args, { ...user, cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
}

export function launch(user, program, args) {
  const server = spawn(program, args, { ...user, cwd: '/', stdio: ['ignore', 'inherit', 'inherit'] })
  process.once('exit', () => server.kill('SIGQUIT'))
  return server
}

export async function findFreePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}

export async function waitUntilReady(server, data) {
  for (const start = Date.now(); Date.now() - start < START_TIMEOUT_MS; await sleep(50)) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start (code ${server.exitCode})`)
    if (isReady(data)) return
  }
  throw new Error('PostgreSQL did not start in time')
}

/** What `pg_ctl --wait` looks at: the server writes its state in the eighth line of this file. */
function isReady(data) {
  const file = join(data, 'postmaster.pid')
  return existsSync(file) && readFileSync(file, 'utf8').split('\n')[7]?.trim() === 'ready'
}

/** The data is not needed any more, so the server stops at once and saves nothing. */
async function stopServer(server, folder) {
  if (server.exitCode === null && server.signalCode === null) {
    server.kill('SIGQUIT')
    await once(server, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
}
