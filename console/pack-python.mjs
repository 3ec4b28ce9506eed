// Puts the Python client into console/dist/downloads as a wheel that pip installs from the service itself. A wheel is a zip of
// the package and three files about it, so no Python is needed to build one.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { strToU8, zipSync } from 'fflate'

const SOURCE = new URL('../clients/python/', import.meta.url)
const DOWNLOADS = new URL('./dist/downloads/', import.meta.url)
/** The same bytes for the same source: no time of the build is kept. */
const LONG_AGO = { mtime: new Date('1980-01-02T00:00:00Z') }

const about = readProject()
const info = `sauti-${about.version}.dist-info`
const files = { ...readPackage(), ...describeWheel() }
files[`${info}/RECORD`] = strToU8(record(files))
mkdirSync(DOWNLOADS, { recursive: true })
writeFileSync(new URL(`sauti-${about.version}-py3-none-any.whl`, DOWNLOADS), zipSync(files, LONG_AGO))

/** The few lines of pyproject.toml that a wheel repeats. */
function readProject() {
  const text = readFileSync(new URL('pyproject.toml', SOURCE), 'utf8')
  const value = name => new RegExp(`^${name} = "(.*)"$`, 'm').exec(text)[1]
  const [, listed] = /^dependencies = \[(.*)\]$/m.exec(text)
  return {
    version: value('version'),
    description: value('description'),
    requiresPython: value('requires-python'),
    dependencies: [...listed.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
  }
}

function readPackage() {
  const names = readdirSync(new URL('sauti/', SOURCE)).filter(name => name.endsWith('.py'))
  return Object.fromEntries(
    names.map(name => [`sauti/${name}`, readFileSync(new URL(`sauti/${name}`, SOURCE))]),
  )
}

function describeWheel() {
  const metadata = [
    'Metadata-Version: 2.1',
    'Name: sauti',
    `Version: ${about.version}`,
    `Summary: ${about.description}`,
    'License: Apache-2.0',
    `Requires-Python: ${about.requiresPython}`,
    ...about.dependencies.map(name => `Requires-Dist: ${name}`),
  ]
  const wheel = ['Wheel-Version: 1.0', 'Generator: sauti', 'Root-Is-Purelib: true', 'Tag: py3-none-any']
  return {
    [`${info}/METADATA`]: strToU8(`${metadata.join('\n')}\n`),
    [`${info}/WHEEL`]: strToU8(`${wheel.join('\n')}\n`),
    [`${info}/LICENSE`]: readFileSync(new URL('../LICENSE', import.meta.url)),
  }
}

function record(contents) {
  const lines = Object.entries(contents).map(([path, bytes]) => {
    const digest = createHash('sha256').update(bytes).digest('base64url')
    return `${path},sha256=${digest},${bytes.length}`
  })
  return `${lines.join('\n')}\n${info}/RECORD,,\n`
}
