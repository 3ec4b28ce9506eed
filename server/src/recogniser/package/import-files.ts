// Which files an import copies: those of a public export, which have their usual names, or those of a package, which its manifest names and
// which it may share with the packages beside it.

import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { GRAPH_PARTS } from './graph-check.ts'
import { EXTRAS, type Extra, type Manifest, PARTS, type Part, parseManifest } from './manifest.ts'
import { MANIFEST, PackageError } from './model-package.ts'
import { describeOnnx, type OnnxDescription } from './onnx-metadata.ts'

const CARD = 'README.md'
const USUAL_EXTRAS: Readonly<Record<Extra, string>> = {
  language_model: 'language-model.bin',
  frame_scorer: 'frames.onnx',
}
/** The smaller int8 file where there are both. */
const USUAL_NAMES: Readonly<Record<Part, readonly string[]>> = {
  encoder: ['encoder.int8.onnx', 'encoder.onnx'],
  decoder: ['decoder.int8.onnx', 'decoder.onnx'],
  joiner: ['joiner.int8.onnx', 'joiner.onnx'],
  tokens: ['tokens.txt'],
}

/** Absolute paths. */
export interface ImportFiles {
  readonly parts: Readonly<Record<Part, string>>
  readonly external: readonly string[]
  readonly extras: Readonly<Partial<Record<Extra, string>>>
  readonly card: string | undefined
  /** Of a package; an export has none. */
  readonly manifest: Manifest | undefined
}

export function findImportFiles(from: string): ImportFiles {
  const manifest = existsSync(join(from, MANIFEST)) ? readManifest(from) : undefined
  const ofPart = (part: Part) =>
    manifest ? packagedFile(from, manifest.files[part].path) : usualFile(from, USUAL_NAMES[part])
  const parts = Object.fromEntries(PARTS.map(part => [part, ofPart(part)])) as Record<Part, string>
  return {
    parts,
    external: GRAPH_PARTS.flatMap(part => externalFiles(from, parts[part])),
    extras: findExtras(from, manifest),
    card: findCard(from, manifest),
    manifest,
  }
}

function findExtras(from: string, manifest: Manifest | undefined): Partial<Record<Extra, string>> {
  const found = EXTRAS.map(extra => {
    const file = manifest?.files[extra]
    return [extra, file ? packagedFile(from, file.path) : ifThere(from, USUAL_EXTRAS[extra])] as const
  })
  return Object.fromEntries(found.filter(([, file]) => file !== undefined))
}

/** `file` is absolute; errors name it as the operator knows it. */
export function describeGraph(from: string, file: string): OnnxDescription {
  try {
    return describeOnnx(file)
  } catch (error) {
    throw new PackageError(
      from,
      basename(file),
      error instanceof Error ? error.message : String(error),
      error,
    )
  }
}

function readManifest(from: string): Manifest {
  try {
    return parseManifest(readFileSync(join(from, MANIFEST), 'utf8'))
  } catch (error) {
    throw new PackageError(from, MANIFEST, (error as Error).message, error)
  }
}

function usualFile(from: string, names: readonly string[]): string {
  const found = names.find(name => existsSync(join(from, name)))
  if (found === undefined) throw new PackageError(from, names.at(-1)!, 'the file is missing')
  return join(from, found)
}

/** Packages of one network share files in a folder beside theirs. Nothing else must be read, whatever the manifest names. */
function packagedFile(from: string, path: string): string {
  const file = resolve(from, path)
  if (!file.startsWith(dirname(resolve(from)) + sep)) {
    throw new PackageError(from, path, 'a file must lie in the package or in a folder beside it')
  }
  if (!existsSync(file)) throw new PackageError(from, path, 'the file is missing')
  return file
}

/** The graph names these files itself: it must not make us read or write anywhere else. */
function externalFiles(from: string, graph: string): string[] {
  return [...describeGraph(from, graph).externalFiles].map(name => {
    if (name !== basename(name) || name === '..' || name.includes('\\')) {
      throw new PackageError(from, name, 'an external file must lie beside the model')
    }
    return usualFile(dirname(graph), [name])
  })
}

/** Not every package has the card that its manifest names. */
function findCard(from: string, manifest: Manifest | undefined): string | undefined {
  const card = ifThere(from, manifest?.card ?? CARD)
  return card === undefined ? undefined : packagedFile(from, card)
}

function ifThere(from: string, name: string): string | undefined {
  return existsSync(join(from, name)) ? join(from, name) : undefined
}
