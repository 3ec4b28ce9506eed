// `npm run pack`: makes dist/sauti-VERSION.tgz, one package with server, command, console, documentation and models. Everything
// that runs is inside, in the versions of the lock file, so that `npm install ./sauti-*.tgz` needs no registry.
// `npm run pack -- FOLDER` puts it there, and `npm run pack -- --unpacked FOLDER` makes no archive but what is inside it. Build first.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { listProductionPackages } from './production-packages.mjs'
import { ROOT } from './run.mjs'

/** What an installation keeps beside its code; server/src/installation.ts finds it. */
const ASSETS = ['console/dist', 'docs', 'models', 'sdk/package.json', 'server/data', 'LICENSE', 'README.md']
const ONNX_RUNTIME = 'node_modules/onnxruntime-node'
const NOT_FOR_RUNNING = /\.(map|d\.[cm]?ts|tsbuildinfo)$/
/** Where the service runs. The runtime's package also has Windows inside, which would double the size. */
const ONNX_RUNTIME_LEFT_OUT = /\/bin\/napi-v\d+\/win32\b/

/** Everything belongs to root, whoever made the package: root may unpack it where that user is somebody else. GNU's tar and that of macOS differ. */
const OWNED_BY_ROOT =
  process.platform === 'darwin' ? ['--uid', '0', '--gid', '0'] : ['--owner=0', '--group=0']

const { values, positionals } = parseArgs({
  options: { unpacked: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const target = resolve(positionals[0] ?? join(ROOT, 'dist'))
const folder = mkdtempSync(join(tmpdir(), 'sauti-pack-'))
/** Where npm looks for a package in an archive. */
const stage = values.unpacked ? target : join(folder, 'package')
try {
  const { name, version } = gather()
  console.log(values.unpacked ? stage : archive(join(target, `${name}-${version}.tgz`)))
} finally {
  rmSync(folder, { recursive: true })
}

/** Puts everything in its place, and gives the package's description. */
function gather() {
  const lock = readJson('package-lock.json')
  forgetInstallScript(lock.packages[ONNX_RUNTIME])
  const { workspaces, packages } = listProductionPackages(lock)
  for (const asset of ASSETS) copy(asset, asset)
  for (const workspace of workspaces) copyWorkspace(workspace)
  for (const path of packages) copy(path, placeOf(path))
  writeJson(ONNX_RUNTIME, forgetInstallScript(readJson(`${ONNX_RUNTIME}/package.json`)))
  const description = describePackage(lock, packages)
  writeJson('.', description)
  // Whoever made it may keep files from others; the service runs as a user of its own.
  execFileSync('chmod', ['-R', 'u+rwX,go+rX', stage])
  return description
}

/** Not by `npm pack`: it compares each of the thousands of files with lists of what to ignore, although all of them are wanted. */
function archive(file) {
  mkdirSync(dirname(file), { recursive: true })
  // On macOS, tar would add a file with extended attributes beside each one.
  const env = { ...process.env, COPYFILE_DISABLE: '1' }
  execFileSync('tar', ['-czf', file, ...OWNED_BY_ROOT, '--numeric-owner', '-C', folder, 'package'], { env })
  return file
}

/** It downloads CUDA, which the service does not use, with packages that nothing else needs. */
function forgetInstallScript(manifest) {
  const { 'onnxruntime-common': common } = manifest.dependencies
  return Object.assign(manifest, { scripts: {}, dependencies: { 'onnxruntime-common': common } })
}

function copyWorkspace(workspace) {
  const { devDependencies: _, ...manifest } = readJson(`${workspace}/package.json`)
  const place = join('node_modules', manifest.name)
  for (const folder of ['dist', 'bin', 'migrations']) copy(join(workspace, folder), join(place, folder))
  writeJson(place, manifest)
}

/** All packages stand in one node_modules, also those that npm put below a workspace. */
function placeOf(path) {
  return path.slice(path.indexOf('node_modules/'))
}

function copy(from, to) {
  const source = join(ROOT, from)
  // Packages inside a package are copied by their own name, if they are needed.
  const isWanted = path =>
    !path.slice(source.length).includes('/node_modules') &&
    !NOT_FOR_RUNNING.test(path) &&
    !ONNX_RUNTIME_LEFT_OUT.test(path)
  mkdirSync(dirname(join(stage, to)), { recursive: true })
  try {
    cpSync(source, join(stage, to), { recursive: true, filter: isWanted })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function describePackage(lock, packages) {
  const { name, version, description, license, type, engines } = readJson('package.json')
  const ours = ['protocol', 'server', 'sdk', 'cli'].map(workspace => readJson(`${workspace}/package.json`))
  const theirs = packages
    .map(path => [placeOf(path), lock.packages[path].version])
    .filter(([place]) => place.lastIndexOf('node_modules/') === 0)
    .map(([place, locked]) => [place.slice('node_modules/'.length), locked])
  const dependencies = Object.fromEntries([...ours.map(one => [one.name, one.version]), ...theirs])
  return {
    ...{ name, version, description, license, type, engines },
    bin: { sauti: 'node_modules/@sauti/cli/bin/sauti.js' },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}

function writeJson(place, content) {
  writeFileSync(join(stage, place, 'package.json'), `${JSON.stringify(content, null, 2)}\n`)
}
