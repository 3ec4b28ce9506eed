// Which part may import which. The README has the same table: change both together.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** What every part that answers clients stands on. */
const BASE = [
  'protocol/src',
  'server/src/foreign',
  'server/src/installation.ts',
  'server/src/network',
  'server/src/repeat.ts',
  'server/src/settings',
]

/** Places in the repository, the most exact first. A file belongs to the first that its path begins with. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'protocol/src': [],
  'sdk/src': ['protocol/src'],
  'console/src': ['protocol/src', 'sdk/src'],
  'server/src/db': ['server/src/repeat.ts', 'server/src/settings'],
  'server/src/recogniser': ['protocol/src', 'server/src/wasm'],
  'server/src/wasm': [],
  // The client's resampler, so that audio sounds the same whoever converts it.
  'server/src/sound': ['sdk/src/speech.ts', 'server/src/wasm'],
  'server/src/sessions': ['protocol/src', 'server/src/db'],
  'server/src/ledger': ['protocol/src', 'server/src/db', 'server/src/sessions', 'server/src/settings'],
  'server/src/nodes': [
    'protocol/src',
    'server/src/db',
    'server/src/ledger',
    'server/src/sessions',
    'server/src/settings',
    'server/src/repeat.ts',
    'server/src/network/request-rate.ts',
  ],
  // What foreign interfaces mean, whichever part speaks them.
  'server/src/foreign': ['protocol/src'],
  'server/src/accounts': [
    'protocol/src',
    'server/src/network/address-list.ts',
    'server/src/network/client-address.ts',
    'server/src/db',
    'server/src/ledger',
    'server/src/sessions',
  ],
  // Sound from files: the client's cuts at pauses, and of the recogniser only its interface.
  'server/src/files': [
    'protocol/src',
    'sdk/src/speech.ts',
    'server/src/settings',
    'server/src/db',
    'server/src/ledger',
    'server/src/recogniser/port.ts',
    'server/src/sessions',
    'server/src/sound',
  ],
  // Of the recogniser only its interface: the stream, and the demonstration on the front page.
  'server/src/http': [
    ...BASE,
    'sdk/src/speech.ts',
    'server/src/accounts',
    'server/src/db',
    'server/src/files/jobs.ts',
    'server/src/files/wav.ts',
    'server/src/ledger',
    'server/src/nodes',
    'server/src/recogniser/port.ts',
    'server/src/sessions',
  ],
  'server/src/stream': [
    ...BASE,
    'sdk/src/speech.ts',
    'server/src/accounts',
    'server/src/db',
    'server/src/ledger',
    'server/src/nodes',
    'server/src/recogniser/port.ts',
    'server/src/sessions',
    'server/src/sound',
  ],
  'server/src': ['protocol/src', 'server/src'],
  'cli/src': ['protocol/src', 'sdk/src', 'server/src'],
  'bench/src': ['protocol/src', 'sdk/src', 'server/src', 'cli/src'],
}

/** Packages that one place keeps to itself. */
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  pg: ['server/src/db'],
  '@electric-sql/pglite': ['server/src/db'],
  fastify: ['server/src/http', 'bench/src'],
  ws: ['server/src/stream', 'sdk/src/node', 'cli/src', 'bench/src'],
  'onnxruntime-node': ['server/src/recogniser', 'bench/src'],
  '@peculiar/x509': ['server/src/tls/local-authority.ts'],
}

/** The one part of the client that is for Node. */
const FOR_NODE = 'sdk/src/node'
/** These run in browsers too. */
const WITHOUT_NODE = ['protocol/src', 'sdk/src', 'console/src']

const PACKAGES: Readonly<Record<string, string>> = {
  '@sauti/protocol': 'protocol/src',
  '@sauti/client': 'sdk/src',
  '@sauti/server': 'server/src',
}

interface Import {
  readonly file: string
  readonly place: string
  /** A path of the repository, a package, or `node:...`. */
  readonly target: string
}

function listSources(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return []
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => join(folder, name).split(sep).join('/'))
}

function placeOf(path: string): string {
  const place = Object.keys(MAY_IMPORT).find(one => path === one || path.startsWith(`${one}/`))
  if (place === undefined) throw new Error(`${path} is in no place of the table`)
  return place
}

function readImports(file: string): Import[] {
  const withoutComments = readFileSync(join(ROOT, file), 'utf8').replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '')
  // The console shows programs to its readers, and these have imports of their own.
  const text = withoutComments.replaceAll(/`[^`]*`/g, '')
  const specifiers = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)
  return [...specifiers].map(([, specifier]) => ({
    file,
    place: placeOf(file),
    target: resolve(file, specifier!),
  }))
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith('.'))
    return relative(ROOT, join(ROOT, dirname(file), specifier))
      .split(sep)
      .join('/')
  if (builtinModules.includes(specifier)) return `node:${specifier}`
  const [name, path = 'index'] = splitPackage(specifier)
  const ours = PACKAGES[name]
  return ours === undefined ? name : `${ours}/${path.replace(/\.js$/, '')}.ts`
}

function splitPackage(specifier: string): [string, string?] {
  const parts = specifier.split('/')
  const length = specifier.startsWith('@') ? 2 : 1
  const path = parts.slice(length).join('/')
  return path === '' ? [specifier] : [parts.slice(0, length).join('/'), path]
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`)
}

const folders = ['protocol/src', 'sdk/src', 'console/src', 'server/src', 'cli/src', 'bench/src']
const imports = folders.flatMap(listSources).flatMap(readImports)

/** The files of a circle of imports, the first again at the end; empty where there is none. */
function findCircle(): string[] {
  const targets = new Map<string, string[]>()
  for (const { file, target } of imports) targets.set(file, [...(targets.get(file) ?? []), target])
  const done = new Set<string>()
  const search = (file: string, way: readonly string[]): string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (done.has(file)) return []
    for (const target of targets.get(file) ?? []) {
      const circle = search(target, [...way, file])
      if (circle.length > 0) return circle
    }
    done.add(file)
    return []
  }
  for (const file of targets.keys()) {
    const circle = search(file, [])
    if (circle.length > 0) return circle
  }
  return []
}

function show({ file, target }: Import): string {
  return `${file} imports ${target}`
}

describe('the imports', () => {
  it('are found at all', () => {
    expect(imports.length).toBeGreaterThan(300)
  })

  it('are all allowed by the table', () => {
    const isOurs = (target: string) => folders.some(folder => isWithin(target, folder))
    const isAllowed = ({ place, target }: Import) =>
      placeOf(target) === place || MAY_IMPORT[place]!.some(allowed => isWithin(target, allowed))
    expect(imports.filter(one => isOurs(one.target) && !isAllowed(one)).map(show)).toEqual([])
  })

  it('are never circular', () => {
    expect(findCircle()).toEqual([])
  })

  it('keep each large dependency in one place', () => {
    const isAstray = ({ file, target }: Import) => {
      const places = ONLY_IN[target]
      return places !== undefined && !places.some(place => isWithin(file, place))
    }
    expect(imports.filter(isAstray).map(show)).toEqual([])
  })

  it('use nothing of Node where browsers run the code', () => {
    const usesNode = ({ file, place, target }: Import) =>
      WITHOUT_NODE.includes(place) && !isWithin(file, FOR_NODE) && target.startsWith('node:')
    expect(imports.filter(usesNode).map(show)).toEqual([])
  })

  it('of the server: only one file reads the environment', () => {
    const readers = listSources('server/src').filter(file =>
      /process\.env\b/.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    expect(readers).toEqual(['server/src/settings/config.ts'])
  })
})
