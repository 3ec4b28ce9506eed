// Programs of the machine that some tests use. Nobody needs root to run the check: a test whose program is missing is skipped.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { findPostgresFolder } from './find-postgres.mjs'

const MACOS_FIREFOX = '/Applications/Firefox.app/Contents/MacOS/firefox'
const MACOS_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/** Patroni needs more than a server: it copies and rewinds, too. */
export const PATRONI_NEEDS = ['initdb', 'postgres', 'pg_basebackup', 'pg_rewind', 'pg_controldata', 'pg_ctl']

/** What makes, builds and runs an image without a registry. */
export const IMAGE_NEEDS = ['buildah', 'podman', 'runc', 'mmdebstrap']

/** Where the check unpacks packages whose program needs nothing else of its package to be installed. */
export const UNPACKED = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sauti-check')

/** Each program: what tests call it, what Debian calls the packages to install or to unpack, and where it is found. */
export const PROGRAMS = [
  { name: 'ffmpeg', packages: ['ffmpeg'], find: () => findOnPath('ffmpeg') },
  { name: 'curl', packages: ['curl'], find: () => findOnPath('curl') },
  { name: 'strace', packages: ['strace'], find: findStrace, platform: 'linux' },
  { name: 'chromium', packages: ['chromium'], find: findChromium },
  { name: 'firefox', packages: ['firefox-esr'], find: findFirefox },
  { name: 'python', packages: ['python3-httpx', 'python3-websockets'], find: findPython },
  {
    name: 'patroni',
    packages: ['patroni', 'etcd-server', 'postgresql'],
    find: findPatroni,
    platform: 'linux',
  },
  { name: 'pgbouncer', packages: ['pgbouncer'], find: findPgBouncer, platform: 'linux' },
  { name: 'buildah', packages: IMAGE_NEEDS, find: findImageTools, platform: 'linux', note: 'and be root' },
  {
    name: 'systemd-analyze',
    packages: ['systemd'],
    find: () => findOnPath('systemd-analyze'),
    platform: 'linux',
  },
  { name: 'promtool', unpack: ['prometheus'], find: findPromtool, platform: 'linux' },
  // Debian's is too old to know `labels` in a kustomization.
  { name: 'kubectl', find: () => findOnPath('kubectl') },
  // Debian has no package of it: install it with pip, and name that Python in SAUTI_TEST_PIPECAT.
  { name: 'pipecat', find: findPipecat },
]

/** The path of each program by its name, null where it is missing. */
export function findPrograms() {
  return Object.fromEntries(PROGRAMS.map(({ name, find }) => [name, find() ?? null]))
}

/** The entries of PROGRAMS that this machine lacks and that its platform could have. */
export function listMissingPrograms() {
  return PROGRAMS.filter(
    ({ find, platform }) => (platform ?? process.platform) === process.platform && !find(),
  )
}

export function findOnPath(program) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map(folder => join(folder, program)).find(file => existsSync(file))
}

/** Containers may have the program and forbid what it does. */
function findStrace() {
  const file = findOnPath('strace')
  return file && spawnSync(file, ['-o', '/dev/null', 'true']).status === 0 ? file : undefined
}

/** With the etcd that it keeps its state in, and what it needs of PostgreSQL. */
function findPatroni() {
  return findOnPath('etcd') && findPostgresFolder(PATRONI_NEEDS) ? findOnPath('patroni') : undefined
}

/** Debian puts it where root looks for programs. */
function findPgBouncer() {
  return findOnPath('pgbouncer') ?? ['/usr/sbin/pgbouncer'].find(file => existsSync(file))
}

/** Root may lack the right to mount, too, in a container. */
function findImageTools() {
  const unshare = findOnPath('unshare')
  const canMount = process.getuid() === 0 && unshare && spawnSync(unshare, ['--mount', 'true']).status === 0
  return canMount && IMAGE_NEEDS.every(findOnPath) ? findOnPath('buildah') : undefined
}

function findPromtool() {
  const unpacked = join(UNPACKED, 'usr/bin/promtool')
  return findOnPath('promtool') ?? (existsSync(unpacked) ? unpacked : undefined)
}

function findChromium() {
  const named = process.env.SAUTI_TEST_CHROMIUM
  if (named) return named
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return names.map(findOnPath).find(Boolean) ?? (existsSync(MACOS_CHROME) ? MACOS_CHROME : undefined)
}

/** A Python with Pipecat (pip install pipecat-ai). */
function findPipecat() {
  const python = process.env.SAUTI_TEST_PIPECAT ?? findOnPath('python3')
  return python && spawnSync(python, ['-c', 'import pipecat']).status === 0 ? python : undefined
}

function findFirefox() {
  const named = process.env.SAUTI_TEST_FIREFOX
  if (named) return named
  return (
    ['firefox-esr', 'firefox'].map(findOnPath).find(Boolean) ??
    (existsSync(MACOS_FIREFOX) ? MACOS_FIREFOX : undefined)
  )
}

/** A Python with the two modules of the Python client. Debian's own has Debian's packages; one before it on PATH may not. */
function findPython() {
  const named = process.env.SAUTI_TEST_PYTHON
  const candidates = named ? [named] : [findOnPath('python3'), '/usr/bin/python3']
  const modules = ['-c', 'import httpx, websockets']
  return candidates.find(python => python && spawnSync(python, modules).status === 0)
}
