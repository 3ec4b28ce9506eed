// A model package is a folder with a manifest that names the ONNX files and the tokens and their SHA-256. Opening it proves that every
// file is whole and that they belong together, so that no stream ever gets a broken model.

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findFrameScorer } from '../engine/frame-scorer.ts'
import { readLanguageModel } from '../engine/search/language-model.ts'
import { FileFacts } from './file-facts.ts'
import { GRAPH_PARTS, type GraphFacts, type Graphs, graphFacts, graphMismatch } from './graph-check.ts'
import { type Manifest, PARTS, type PackagedFile, type Part, parseManifest } from './manifest.ts'
import { parseVocabulary, type Vocabulary } from './vocabulary.ts'

export const MANIFEST = 'manifest.json'

export interface ModelPackage extends GraphFacts {
  readonly folder: string
  readonly manifest: Manifest
  /** Absolute. */
  readonly paths: Readonly<Record<Part, string>>
  readonly vocabulary: Vocabulary
  /** Absolute; not every model has one. */
  readonly languageModelPath: string | undefined
  /** The same. */
  readonly frameScorerPath: string | undefined
}

/** What is wrong with a package: which model, which file, and what. Shown to the operator, never to a client. */
export class PackageError extends Error {
  readonly file: string
  readonly problem: string

  constructor(folder: string, file: string, problem: string, cause?: unknown) {
    super(`model package ${folder}: ${file}: ${problem}`, { cause })
    this.name = 'PackageError'
    this.file = file
    this.problem = problem
  }
}

/** `facts`: of the packages that are opened with it. */
export async function openModelPackage(folder: string, facts = new FileFacts()): Promise<ModelPackage> {
  const manifest = await attempt(folder, MANIFEST, () =>
    parseManifest(readFileSync(join(folder, MANIFEST), 'utf8')),
  )
  const paths = {} as Record<Part, string>
  for (const part of PARTS) paths[part] = await checkedPath(folder, manifest.files[part], facts)
  for (const file of manifest.external ?? []) await checkedPath(folder, file, facts)
  const { path: tokens } = manifest.files.tokens
  const vocabulary = await attempt(folder, tokens, () => parseVocabulary(readFileSync(paths.tokens, 'utf8')))
  if (vocabulary.blank !== manifest.vocab_size) {
    throw new PackageError(
      folder,
      tokens,
      `it has ${vocabulary.blank} pieces, the manifest ${manifest.vocab_size}`,
    )
  }
  const languageModelPath = await checkLanguageModel(folder, manifest, facts)
  const graphs = await checkGraphs(folder, manifest, paths, facts)
  const frameScorerPath = await checkFrameScorer(folder, manifest, graphs, facts)
  return { folder, manifest, paths, vocabulary, languageModelPath, frameScorerPath, ...graphs }
}

async function checkFrameScorer(
  folder: string,
  manifest: Manifest,
  { encodedSize }: GraphFacts,
  facts: FileFacts,
): Promise<string | undefined> {
  const file = manifest.files.frame_scorer
  if (file === undefined) return undefined
  const absolute = await checkedPath(folder, file, facts)
  const linear = await attempt(folder, file.path, () => findFrameScorer(absolute))
  const symbols = manifest.vocab_size + 1
  if (linear?.weight.rows === encodedSize && linear.weight.columns === symbols) return absolute
  throw new PackageError(
    folder,
    file.path,
    `it is not a matrix from ${encodedSize} values to ${symbols} symbols`,
  )
}

async function checkLanguageModel(
  folder: string,
  manifest: Manifest,
  facts: FileFacts,
): Promise<string | undefined> {
  const file = manifest.files.language_model
  if (file === undefined) return undefined
  const absolute = await checkedPath(folder, file, facts)
  const { vocabularySize } = await attempt(folder, file.path, () => readLanguageModel(absolute))
  if (vocabularySize === manifest.vocab_size) return absolute
  const problem = `it knows ${vocabularySize} pieces, the manifest ${manifest.vocab_size}`
  throw new PackageError(folder, file.path, problem)
}

async function checkedPath(
  folder: string,
  { path, sha256 }: PackagedFile,
  facts: FileFacts,
): Promise<string> {
  const absolute = resolve(folder, path)
  if (!existsSync(absolute)) throw new PackageError(folder, path, 'the file is missing')
  const actual = await attempt(folder, path, () => facts.sha256(absolute))
  if (actual !== sha256) {
    throw new PackageError(folder, path, 'its SHA-256 is not the manifest\u2019s: it is corrupt or truncated')
  }
  return absolute
}

async function checkGraphs(
  folder: string,
  manifest: Manifest,
  paths: Readonly<Record<Part, string>>,
  facts: FileFacts,
): Promise<GraphFacts> {
  const graphs = {} as Graphs
  for (const part of GRAPH_PARTS) {
    const { path } = manifest.files[part]
    graphs[part] = await attempt(folder, path, () => facts.graph(paths[part]))
    const mismatch = graphMismatch(part, graphs[part], manifest)
    if (mismatch !== undefined) throw new PackageError(folder, path, mismatch)
  }
  return graphFacts(graphs, manifest)
}

async function attempt<T>(folder: string, file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new PackageError(folder, file, error instanceof Error ? error.message : String(error), error)
  }
}
