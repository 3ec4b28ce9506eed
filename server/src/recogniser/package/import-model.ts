// `sauti models import`: takes a folder in the form of the public exports of this model family, reads from the ONNX files themselves what is in
// them, proves by running that every part works, and only then puts the package in its place, in one move.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { chunkSamples, LOOK_AHEADS, type LookAhead } from '@sauti/protocol/audio'
import { findModel, type ModelId } from '@sauti/protocol/models'
import { loadModel } from '../engine/model.ts'
import { type SessionSettings, Sessions } from '../engine/onnx-sessions.ts'
import { Utterance } from '../engine/utterance.ts'
import { sha256Of } from './file-facts.ts'
import { GRAPH_PARTS, type GraphPart } from './graph-check.ts'
import type { Manifest, PackagedFile, Part } from './manifest.ts'
import { openModelPackage, PackageError } from './model-package.ts'
import { describeOnnx, type OnnxDescription } from './onnx-metadata.ts'
import { choosePrompt, describeExport } from './published-export.ts'

const CARD = 'README.md'
const LANGUAGE_MODEL = 'language-model.bin'

export interface ImportOrder {
  /** Folder with encoder, decoder and joiner (`.onnx` or `.int8.onnx`) and `tokens.txt`; a card and a language model may be beside them. */
  readonly from: string
  readonly model: ModelId
  readonly modelsDir: string
  readonly version: string
  readonly licence: string
  /** Language of the prompt where the model has prompts; without it the one of the model's language, or automatic. */
  readonly prompt?: string | undefined
  readonly sessions: SessionSettings
}

/** Returns the manifest that was written. Throws a PackageError, and leaves everything as it was, when anything is wrong. */
export async function importModel(order: ImportOrder): Promise<Manifest> {
  mkdirSync(order.modelsDir, { recursive: true })
  const workshop = mkdtempSync(join(order.modelsDir, '.import-'))
  try {
    const files = copyExport(order.from, workshop)
    const manifest = await makeManifest(order, workshop, files)
    writeManifest(workshop, manifest)
    const proven = { ...manifest, look_aheads: await proveByRunning(workshop, order.sessions) }
    writeManifest(workshop, proven)
    moveIntoPlace(workshop, join(order.modelsDir, order.model))
    return proven
  } catch (error) {
    // Errors found in the temporary folder name the folder that the operator knows.
    if (error instanceof PackageError) throw new PackageError(order.from, error.file, error.problem, error)
    throw error
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

type ExportFiles = Record<Part, string> & {
  readonly external: readonly string[]
  readonly languageModel: string | undefined
}

/** Copies what belongs to the package; the smaller int8 file where there are both. */
function copyExport(from: string, to: string): ExportFiles {
  const copy = (name: string) => {
    copyFileSync(join(from, name), join(to, basename(name)))
    return basename(name)
  }
  const find = (...names: string[]) => {
    const found = names.find(name => existsSync(join(from, name)))
    if (found === undefined) throw new PackageError(from, names.at(-1)!, 'the file is missing')
    return copy(found)
  }
  const graph = (part: GraphPart) => find(`${part}.int8.onnx`, `${part}.onnx`)
  const files = { encoder: graph('encoder'), decoder: graph('decoder'), joiner: graph('joiner') }
  const tokens = find('tokens.txt')
  const external = GRAPH_PARTS.flatMap(part => [...describe(from, files[part]).externalFiles])
  for (const name of external) checkExternalName(from, name)
  for (const name of external) find(name)
  if (existsSync(join(from, CARD))) copy(CARD)
  const languageModel = existsSync(join(from, LANGUAGE_MODEL)) ? copy(LANGUAGE_MODEL) : undefined
  return { ...files, tokens, external, languageModel }
}

/** The export names these files itself: it must not make us read or write anywhere else. */
function checkExternalName(from: string, name: string): void {
  if (name === basename(name) && name !== '..' && !name.includes('\\')) return
  throw new PackageError(from, name, 'an external file must lie beside the model')
}

function describe(folder: string, file: string): OnnxDescription {
  try {
    return describeOnnx(join(folder, file))
  } catch (error) {
    throw new PackageError(folder, file, error instanceof Error ? error.message : String(error), error)
  }
}

async function makeManifest(order: ImportOrder, folder: string, files: ExportFiles): Promise<Manifest> {
  const { id, language, languageCode } = findModel(order.model)!
  const encoder = describe(folder, files.encoder)
  const packaged = async (path: string): Promise<PackagedFile> => ({
    path,
    sha256: await sha256Of(join(folder, path)),
  })
  if (!existsSync(join(folder, CARD))) writeFileSync(join(folder, CARD), card(order))
  try {
    return {
      format: 1,
      id,
      language,
      language_code: languageCode,
      version: order.version,
      licence: order.licence,
      card: CARD,
      files: {
        encoder: await packaged(files.encoder),
        decoder: await packaged(files.decoder),
        joiner: await packaged(files.joiner),
        tokens: await packaged(files.tokens),
        ...(files.languageModel && { language_model: await packaged(files.languageModel) }),
      },
      external: await Promise.all(files.external.map(packaged)),
      ...describeExport(encoder),
      look_aheads: [LOOK_AHEADS[0]],
      prompt_index: choosePrompt(encoder, order.prompt, languageCode),
    }
  } catch (error) {
    throw new PackageError(order.from, files.encoder, (error as Error).message, error)
  }
}

function card({ from, model, version, licence }: ImportOrder): string {
  return `# ${model} ${version}\n\nImported from \`${basename(from)}\`. Licence: ${licence}.\n`
}

function writeManifest(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Hears a little noise with every look-ahead and gives those that work. The longest must. */
async function proveByRunning(folder: string, settings: SessionSettings): Promise<LookAhead[]> {
  const opened = await openModelPackage(folder)
  const sessions = new Sessions(settings)
  const working: LookAhead[] = []
  try {
    const model = loadModel(opened, sessions)
    for (const lookAhead of model.anyFrames ? LOOK_AHEADS : LOOK_AHEADS.slice(0, 1)) {
      const utterance = new Utterance(model)
      const chunk = Int16Array.from({ length: chunkSamples(lookAhead) }, (_, i) => (i * 7919) % 255)
      utterance.hear(chunk)
      utterance.hear(chunk)
      utterance.finish(new Int16Array(100))
      working.push(lookAhead)
    }
  } catch (error) {
    if (working.length === 0) {
      throw new PackageError(
        folder,
        opened.manifest.files.encoder.path,
        `it does not run: ${(error as Error).message}`,
        error,
      )
    }
  } finally {
    sessions.release()
  }
  return working
}

/** A reader sees the old package or the new one, never half of one. */
function moveIntoPlace(workshop: string, place: string): void {
  const old = `${place}.old`
  rmSync(old, { recursive: true, force: true })
  if (existsSync(place)) renameSync(place, old)
  renameSync(workshop, place)
  rmSync(old, { recursive: true, force: true })
}
