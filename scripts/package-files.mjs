// Copies the files that npm reads to an empty folder, so that what is installed on this machine cannot influence npm's answer.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from './run.mjs'

/** The path of the new folder. The caller removes it. */
export function copyPackageFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-packages-'))
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const packages = ['.', ...workspaces].map(workspace => join(workspace, 'package.json'))
  for (const file of [...packages, 'package-lock.json', '.npmrc']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(folder, file))
  }
  return folder
}
