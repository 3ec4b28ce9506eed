// Puts the client library into console/dist/downloads as one package that npm can install from the service itself, so that
// nobody needs a registry or a checkout. The protocol, a package of its own in the repository, goes inside.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DOWNLOADS = join(ROOT, 'console/dist/downloads')
/** Of the console, not of the client. */
const LEFT_OUT = /^(asyncapi|console)/

const stage = mkdtempSync(join(tmpdir(), 'sauti-client-'))
try {
  const client = readJson('sdk/package.json')
  const protocol = readJson('protocol/package.json')
  copyBuilt('sdk/dist', 'dist')
  copyBuilt('protocol/dist', 'dist/protocol')
  cpSync(join(ROOT, 'sdk/README.md'), join(stage, 'README.md'))
  cpSync(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'))
  const { name, version, description, license, type, sideEffects, exports } = client
  // What the types of the protocol are written with; no program loads it.
  const { dependencies } = protocol
  const about = { name, version, description, license, type, sideEffects, exports, dependencies }
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
  mkdirSync(DOWNLOADS, { recursive: true })
  execFileSync('npm', ['pack', '--silent', '--pack-destination', DOWNLOADS], { cwd: stage })
  // A recording to try the snippets on, and the licence of the site's font.
  cpSync(join(ROOT, 'models/samples/kikuyu-1.wav'), join(DOWNLOADS, 'kikuyu-1.wav'))
  cpSync(join(ROOT, 'console/.fonts/inter-licence.txt'), join(DOWNLOADS, 'inter-licence.txt'))
} finally {
  rmSync(stage, { recursive: true })
}

function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}

/** Programs and types, folders included; imports of the protocol lead inside the package. */
function copyBuilt(from, to) {
  for (const file of readdirSync(join(ROOT, from), { recursive: true })) {
    if (!/\.(js|d\.ts)$/.test(file) || LEFT_OUT.test(file)) continue
    const target = join(stage, to, file)
    const protocol = relative(dirname(target), join(stage, 'dist/protocol')) || '.'
    const text = readFileSync(join(ROOT, from, file), 'utf8')
    const inside = text
      .replaceAll(/(['"])@sauti\/protocol\/([\w-]+)\1/g, `$1${asImport(protocol)}/$2.js$1`)
      .replaceAll(/^\/\/# sourceMappingURL=.*$/gm, '')
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, inside)
  }
}

function asImport(path) {
  return path.startsWith('.') ? path : `./${path}`
}
