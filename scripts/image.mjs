// `npm run image`: builds deploy/Dockerfile without a container registry and starts it, as proof that the image works. The base image is made
// from Debian's packages (mmdebstrap) and Node's program from npm. Needs root, buildah, podman, runc and mmdebstrap; takes some minutes, and
// leaves nothing behind. The check runs it too.

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findOnPath, IMAGE_NEEDS } from './programs.mjs'
import { ROOT, run } from './run.mjs'

const BASE = 'sauti-base'
const IMAGE = 'sauti'
const DEBIAN = 'bookworm'
const NODE_MAJOR = 22
/** What Node's program needs that is not an essential part of Debian. */
const NODE_NEEDS = 'libstdc++6'
/** The certificates that this machine trusts: a registry may be reached only through them. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

const missing = IMAGE_NEEDS.filter(program => !findOnPath(program))
if (missing.length > 0 || process.getuid() !== 0) {
  console.error(
    `npm run image needs root and these programs: ${IMAGE_NEEDS.join(', ')}; missing: ${missing.join(', ') || 'root'}`,
  )
  process.exit(1)
}
const work = mkdtempSync(join(tmpdir(), 'sauti-image-'))
const env = useOwnStorage()
try {
  await makeBase()
  await buildImage()
  await proveImage()
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** Images and containers are kept in the work folder. Driver and isolation need no support of the kernel that containers in containers lack. */
function useOwnStorage() {
  const file = join(work, 'storage.conf')
  const folders = { graphroot: join(work, 'storage'), runroot: join(work, 'run') }
  const lines = Object.entries({ driver: 'vfs', ...folders }).map(([name, value]) => `${name} = "${value}"`)
  writeFileSync(file, ['[storage]', ...lines, ''].join('\n'))
  return { CONTAINERS_STORAGE_CONF: file, BUILDAH_ISOLATION: 'chroot' }
}

async function makeBase() {
  const root = join(work, 'root')
  await must('mmdebstrap', ['--variant=essential', `--include=${NODE_NEEDS}`, DEBIAN, root, debianMirror()])
  cpSync(CERTIFICATES, join(root, CERTIFICATES))
  await putNode(join(root, 'usr/local'))
  const container = read('buildah', ['from', 'scratch'])
  await must('buildah', ['add', '--quiet', container, root, '/'])
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  await must('buildah', [
    'config',
    '--env',
    `PATH=${path}`,
    '--env',
    `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
    container,
  ])
  await must('buildah', ['commit', '--quiet', '--rm', container, BASE])
}

/** Debian's mirror as apt knows it here. */
function debianMirror() {
  const folder = '/etc/apt/sources.list.d'
  const files = ['/etc/apt/sources.list', ...readdirSync(folder).map(name => join(folder, name))]
  const known = files.flatMap(
    file => readTextIfThere(file).match(/^(?:deb|URIs:)\s+(?:\[.*?\]\s+)?(\S+)/m)?.[1] ?? [],
  )
  return known[0] ?? 'http://deb.debian.org/debian'
}

function readTextIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Node's program as the npm package of this architecture holds it, and the npm that runs here. */
async function putNode(prefix) {
  const packageName = `node-linux-${process.arch}`
  await must('npm', [
    'install',
    '--silent',
    '--no-save',
    '--ignore-scripts',
    '--prefix',
    work,
    `${packageName}@${NODE_MAJOR}`,
  ])
  mkdirSync(join(prefix, 'lib/node_modules'), { recursive: true })
  cpSync(join(work, 'node_modules', packageName, 'bin/node'), join(prefix, 'bin/node'))
  // Not the global folder of the Node that runs: it may have come from npm itself, without an npm of its own.
  const npm = join(dirname(realpathSync(findOnPath('npm'))), '..')
  cpSync(npm, join(prefix, 'lib/node_modules/npm'), { recursive: true, dereference: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(prefix, 'bin', name))
}

async function buildImage() {
  const dockerfile = join(ROOT, 'deploy/Dockerfile')
  const names = ['--build-arg', `NODE_IMAGE=localhost/${BASE}`, '--tag', IMAGE]
  // Only Docker's format knows the health check.
  const options = ['--format', 'docker', '--ignorefile', `${dockerfile}.dockerignore`, '--file', dockerfile]
  await must('buildah', ['build', ...names, ...options, ROOT])
}

/** Started as deploy/README.md says, with a read-only root file system and the image's own user, it transcribes both samples and stops when told. */
async function proveImage() {
  const podman = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs']
  // Fewer than podman asks for: a container that starts containers may not raise its limits.
  const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000']
  // No network but its own loopback: nothing is fetched when the image runs, and no port of this machine is taken.
  const options = ['--network', 'none', '--read-only', ...limits]
  await must('podman', [
    ...podman,
    'run',
    '--rm',
    ...options,
    '--env',
    'SAUTI_TLS=on',
    IMAGE,
    'sauti',
    'quickstart',
    '--once',
  ])
  const settings = ['--env', 'SAUTI_HOST=127.0.0.1', '--env', 'SAUTI_PUBLIC_URL=https://localhost']
  const container = read('podman', [...podman, 'run', '--detach', ...options, ...settings, IMAGE])
  try {
    await waitUntilHealthy([...podman, 'healthcheck', 'run', container])
    await must('podman', [...podman, 'stop', '--time', '30', container])
    const exitCode = read('podman', [...podman, 'inspect', container, '--format', '{{.State.ExitCode}}'])
    if (exitCode !== '0') throw new Error(`the container ended with ${exitCode} when it was stopped`)
  } finally {
    await must('podman', [...podman, 'rm', '--force', container])
  }
  const bytes = Number(read('podman', ['image', 'inspect', IMAGE, '--format', '{{.Size}}']))
  console.log(`the image works: ${Math.round(bytes / 1e6)} MB, ${process.arch}`)
}

async function waitUntilHealthy(healthcheck) {
  for (let attempt = 1; ; attempt++) {
    if (await run('podman', healthcheck, { env })) return
    if (attempt === 30) throw new Error('the container does not become healthy')
    await sleep(2000)
  }
}

async function must(program, args) {
  if (!(await run(program, args, { env }))) throw new Error(`failed: ${program} ${args.join(' ')}`)
}

function read(program, args) {
  return execFileSync(program, args, { env: { ...process.env, ...env }, encoding: 'utf8' }).trim()
}
