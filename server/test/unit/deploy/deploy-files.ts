// Reads what is below deploy/ as the tools would that use it: YAML with merged anchors, and the chart with its templates filled in.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { pathOf } from '../../support/programs.ts'

export const DEPLOY = fileURLToPath(new URL('../../../../deploy/', import.meta.url))

// biome-ignore lint/suspicious/noExplicitAny: the files are of many foreign formats; what matters of them is asserted.
export type Tree = any

export function listDeployFiles(): string[] {
  return readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.parentPath.includes('/compose/secrets'))
    .map(entry => join(entry.parentPath, entry.name).slice(DEPLOY.length))
    .sort()
}

export function readText(path: string): string {
  return readFileSync(join(DEPLOY, path), 'utf8')
}

export function readYaml(path: string): Tree {
  return parseOne(readText(path))
}

/** What `kubectl kustomize` makes of a folder. */
export function kustomize(folder: string): { text: string; objects: Tree[] } {
  const text = execFileSync(pathOf('kubectl'), ['kustomize', folder], { encoding: 'utf8' })
  return { text, objects: parseAllDocuments(text).map(document => document.toJS()) }
}

/** Everything that an installation gives a node, beside what the image has. */
export interface Installation {
  readonly objects: ReadonlyMap<string, Tree>
  readonly settings: Readonly<Record<string, string>>
}

export function readKustomizeBase(): Installation {
  const { resources, configMapGenerator } = readYaml('kustomize/base/kustomization.yaml')
  const objects = resources.map((file: string) => readYaml(`kustomize/base/${file}`))
  return describe(objects, parseAssignments(configMapGenerator[0].literals))
}

export function readChart(): Installation {
  const values = readYaml('helm/sauti/values.yaml')
  const folder = 'helm/sauti/templates/'
  const objects = listDeployFiles()
    .filter(path => path.startsWith(folder))
    .map(path => parseOne(fillIn(readText(path), values)))
  const { data } = objects.find(({ kind }) => kind === 'ConfigMap')
  return describe(objects, data)
}

/** `SAUTI_NAME=value` to a record; lines without such are left out. */
export function parseAssignments(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.flatMap(line => [...line.matchAll(/(SAUTI_\w+)=(\S+)/g)].map(found => found.slice(1))),
  )
}

function describe(objects: Tree[], settings: Record<string, string>): Installation {
  return { objects: new Map(objects.map(object => [object.kind, object])), settings }
}

function parseOne(text: string): Tree {
  const [document, ...more] = parseAllDocuments(text, { merge: true })
  if (document === undefined || !('errors' in document) || more.length > 0)
    throw new Error('not one document')
  if (document.errors.length > 0) throw document.errors[0]
  return document.toJS()
}

/** The chart keeps to values that are written as JSON, so that Helm's own template language is not needed to check it. */
function fillIn(template: string, values: Tree): string {
  return template.replaceAll(
    /\{\{ (toJson )?\.([\w.]+)( \| sha256sum \| quote)? \}\}/g,
    (_, asJson, path, hashed) => {
      const value = path.split('.').reduce((tree: Tree, key: string) => tree?.[key], {
        Values: values,
        Release: { Name: 'example' },
      })
      if (value === undefined) throw new Error(`values.yaml has no ${path}`)
      const written = asJson ? JSON.stringify(value) : String(value)
      return hashed ? JSON.stringify(createHash('sha256').update(written).digest('hex')) : written
    },
  )
}
