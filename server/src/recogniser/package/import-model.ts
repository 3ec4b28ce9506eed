// `sauti models import`: takes a package, or a folder in the form of the public exports of this model family, reads from the ONNX files themselves what is in
// them, proves by running that every part works, and only then puts the package in its place, in one move.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { chunkSamples, LOOK_AHEADS, type LookAhead } from '@sauti/protocol/audio'
import { findModel, type ModelId } from '@sauti/protocol/models'
import { loadModel } from '../engine/model.ts'
import { type SessionSettings, Sessions } from '../engine/onnx-sessions.ts'
import { Utterance } from '../engine/utterance.ts'
import { sha256Of } from './file-facts.ts'
import { describeGraph, findImportFiles, type ImportFiles } from './import-files.ts'
import type { Manifest, PackagedFile } from './manifest.ts'
import { MANIFEST, openModelPackage, PackageError } from './model-package.ts'
import { choosePrompt, describeExport } from './published-export.ts'

export interface ImportOrder {
  /** A package, or a folder with encoder, decoder and joiner (`.onnx` or `.int8.onnx`) and `tokens.txt`; a card and a language model may be beside them. */
  readonly from: string
  readonly model: ModelId
  readonly modelsDir: string
  /** Without it that of the package. */
  readonly version?: string | undefined
  readonly licence?: string | undefined
  /** Language of the prompt where the model has prompts; without it the one of the model's language, or automatic. */
  readonly prompt?: string | undefined
  readonly sessions: SessionSettings
}

/** Returns the manifest that was written. Throws a PackageError, and leaves everything as it was, when anything is wrong. */
export async function importModel(order: ImportOrder): Promise<Manifest> {
  mkdirSync(order.modelsDir, { recursive: true })
  const workshop = mkdtempSync(join(order.modelsDir, '.import-'))
  try {
    const files = findImportFiles(order.from)
    copyFiles(files, workshop)
    const manifest = makeManifest(order, workshop, files)
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

/** Flat: what a package shares with others is its own after the import. */
function copyFiles({ parts, external, extras, card }: ImportFiles, to: string): void {
  const files = [...Object.values(parts), ...external, ...Object.values(extras), card].filter(
    file => file !== undefined,
  )
  for (const file of files) copyFileSync(file, join(to, basename(file)))
}

function makeManifest(order: ImportOrder, folder: string, files: ImportFiles): Manifest {
  const { id, language, languageCode } = findModel(order.model)!
  const { parts, extras, manifest } = files
  const encoder = describeGraph(order.from, parts.encoder)
  const packaged = (file: string): PackagedFile => ({
    path: basename(file),
    sha256: sha256Of(join(folder, basename(file))),
  })
  const version = order.version ?? manifest?.version ?? '1.0.0'
  const licence = order.licence ?? manifest?.licence ?? 'see the card'
  const card = files.card === undefined ? 'README.md' : basename(files.card)
  if (files.card === undefined) writeFileSync(join(folder, card), cardOf(order, version, licence))
  try {
    return {
      format: 1,
      id,
      language,
      language_code: languageCode,
      version,
      licence,
      card,
      files: {
        encoder: packaged(parts.encoder),
        decoder: packaged(parts.decoder),
        joiner: packaged(parts.joiner),
        tokens: packaged(parts.tokens),
        ...Object.fromEntries(Object.entries(extras).map(([extra, file]) => [extra, packaged(file)])),
      },
      external: files.external.map(packaged),
      ...describeExport(encoder),
      look_aheads: [LOOK_AHEADS[0]],
      prompt_index: choosePrompt(encoder, order.prompt, languageCode),
    }
  } catch (error) {
    throw new PackageError(order.from, basename(parts.encoder), (error as Error).message, error)
  }
}

function cardOf({ from, model }: ImportOrder, version: string, licence: string): string {
  return `# ${model} ${version}\n\nImported from \`${basename(from)}\`. Licence: ${licence}.\n`
}

function writeManifest(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
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
  // A temporary folder is its maker's alone; the service may run as somebody else than the operator who imports.
  chmodSync(workshop, 0o755)
  renameSync(workshop, place)
  rmSync(old, { recursive: true, force: true })
}
